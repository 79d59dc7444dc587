import type { Mode, SearchResult, ShownResult } from "../engine/types.ts";

export interface SearchOptions {
  /** Without it, the best ranking that is at hand now; `hybrid` and `vector` wait for vectors. */
  mode?: Mode;
  /** At most so many hits; 10 without it. */
  limit?: number;
}

/** `window.nearpage`. */
export interface Api {
  /** Settles when the element is in the page; loads nothing. */
  ready: Promise<void>;
  /** @throws {SearchError} with `code` fetch, format, encoder or worker. */
  search(query: string, options?: SearchOptions): Promise<SearchResult>;
  open(): Promise<void>;
}

declare global {
  interface Window {
    nearpage?: Api;
  }
}

/** A result without what only the dialog draws: the same JSON as the command line's. */
export const plain = ({ query, status, hits, suggestion }: ShownResult): SearchResult => ({
  query,
  status,
  hits: hits.map(({ blocks: _, ...hit }) => hit),
  ...(suggestion !== undefined && { suggestion }),
});
