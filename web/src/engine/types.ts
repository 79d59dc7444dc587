/** What crosses a thread or leaves the package. Field names are those of the command line's JSON. */

export type Mode = "hybrid" | "lexical" | "vector";

/** Which rung of the ladder answers: BM25F alone, with the static token table, with the full encoder. */
export type Rung = "lexical" | "light" | "full";

export interface Hit {
  rank: number;
  /** Relative to the site root, with `#anchor` where there is one. */
  url: string;
  page: string;
  anchor: string | null;
  title: string;
  heading_path: string[];
  text: string;
  score: number;
  lexical_rank: number | null;
  vector_rank: number | null;
}

export interface SearchResult {
  query: string;
  status: "ok" | "nothing_relevant";
  hits: Hit[];
  /** The query as the hits answer it, if words of it were taken for misspelt ones. */
  suggestion?: string;
}

export type BlockKind = "prose" | "code" | "table" | "signature";

/** Half-open ranges of UTF-16 units of a block's text in which a term of the query stands. */
export type Mark = [start: number, end: number];

export interface MarkedBlock {
  kind: BlockKind;
  text: string;
  marks: Mark[];
}

/** A hit as the dialog draws it. */
export interface ShownHit extends Hit {
  blocks: MarkedBlock[];
}

export interface ShownResult extends SearchResult {
  hits: ShownHit[];
  /** The rung that gave this answer. */
  rung: Rung;
}

/** Errors do not survive `postMessage` as classes, so their code travels instead. */
export interface Failure {
  code: "fetch" | "format" | "encoder" | "worker";
  message: string;
}

export type ToWorker =
  /** First message: where the index stands (absolute URL, ending in a slash) and its manifest. */
  | { type: "start"; base: string; manifest: unknown }
  /** `mode` absent: the best that is at hand now. Given: waits for the encoder where it needs one. */
  | { type: "search"; id: number; query: string; mode?: Mode; limit: number }
  /** Begin to load the full encoder; answered by `progress` and then `rung` or `encoder_failed`. */
  | { type: "load_encoder" };

export type FromWorker =
  | { type: "ready" }
  | { type: "result"; id: number; result: ShownResult }
  | { type: "failed"; id: number; failure: Failure }
  | { type: "progress"; loaded: number; total: number }
  | { type: "rung"; rung: Rung }
  | { type: "encoder_failed"; failure: Failure };
