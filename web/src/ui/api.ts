import type { Mode, SearchResult, ShownResult } from "../engine/types.ts";

export interface SearchOptions {
  /** Without it, the best ranking that is at hand now; `hybrid` and `vector` wait for vectors. */
  mode?: Mode;
  /** At most so many hits; 10 without it. */
  limit?: number;
  /** Whether the result and its hits say why, in the numbers that ranked them. */
  explain?: boolean;
}

/** `window.nearpage`. */
export interface Api {
  /** Settles when the element is in the page; loads nothing. */
  ready: Promise<void>;
  /**
   * @throws {SearchError} with `code` fetch, format, encoder or worker.
   * @throws {TypeError | RangeError} when an argument is wrong.
   */
  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  open(): Promise<void>;
}

declare global {
  interface Window {
    nearpage?: Api;
  }
}

/** A search as it is asked. */
interface Asked {
  query: string;
  mode: Mode | undefined;
  limit: number;
  explain: boolean;
}

const MODES: readonly unknown[] = [undefined, "hybrid", "lexical", "vector"];

/**
 * What a page asks, checked: it may be written in JavaScript.
 *
 * @throws {TypeError | RangeError} that says which argument is wrong
 */
export function checked(query: unknown, options: unknown = {}): Asked {
  if (typeof query !== "string") throw new TypeError("nearpage.search: the query must be a string");
  if (typeof options !== "object" || !options) {
    throw new TypeError("nearpage.search: the options must be an object");
  }
  const { mode, limit, explain } = options as SearchOptions;
  if (!MODES.includes(mode)) {
    throw new RangeError('nearpage.search: mode must be "hybrid", "lexical" or "vector"');
  }
  if (limit !== undefined && !(Number.isSafeInteger(limit) && limit > 0)) {
    throw new RangeError("nearpage.search: limit must be a whole number of at least 1");
  }
  return { query, mode, limit: limit ?? 10, explain: Boolean(explain) };
}

/** A result without what only the dialog draws: the same JSON as the command line's. */
export const plain = ({ rung: _, hits, ...result }: ShownResult): SearchResult => ({
  ...result,
  hits: hits.map(({ blocks: _, ...hit }) => hit),
});
