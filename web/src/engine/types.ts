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
  /** If it was asked for. */
  explanation?: HitExplanation;
}

export interface SearchResult {
  query: string;
  status: "ok" | "nothing_relevant";
  hits: Hit[];
  /** The query as the hits answer it, if words of it were taken for misspelt ones. */
  suggestion?: string;
  /** If it was asked for. */
  explanation?: ResultExplanation;
}

/** Why nothing is relevant: no passage is ranked; the floor; the query is a number that the site has not. */
export type Reason = "no_match" | "floor" | "unknown_number";

/** Every number of a hit; null for what took no part. `boost` is the owner's times that of a changelog. */
export interface HitExplanation {
  boost: number;
  exact: ExactPart | null;
  lexical: LexicalPart | null;
  vector: VectorPart | null;
  fusion: FusionPart | null;
}

/** The tier that lifted a passage, and whether it is named just as the query is written. */
export interface ExactPart {
  tier: "title" | "heading" | "name";
  verbatim: boolean;
}

/** How words ranked a passage: `score` = `bm25` + `support` + `exact`, `bm25` = the terms' contributions. */
export interface LexicalPart {
  /** Null for a passage that this ranking did not find. */
  rank: number | null;
  score: number;
  bm25: number;
  support: number;
  exact: number;
  /** The share of the query that the passage has. */
  coverage: number;
  terms: TermPart[];
  /** The words of the query that the passage has not. */
  missing: string[];
}

/** The term that counts for a word of the query, and what it adds to the score; its fields' parts add up. */
export interface TermPart {
  word: string;
  term: string;
  /** The word's in the query times the term's as its alternative. */
  weight: number;
  idf: number;
  contribution: number;
  fields: FieldPart[];
}

export interface FieldPart {
  field: "title" | "path" | "heading" | "body" | "code";
  frequency: number;
  /** The field's weight over its length normalisation. */
  weight: number;
  contribution: number;
}

/** How its vector ranked a passage: `score` = `cosine` times the root of the page's boost, + `support`. */
export interface VectorPart {
  rank: number | null;
  score: number;
  cosine: number;
  support: number;
}

/** A fused score is their sum: 1 / (k + rank) of each ranking, 0 without a rank; the tier's number. */
export interface FusionPart {
  lexical: number;
  vector: number;
  exact: number;
}

/** What holds for all hits. */
export interface ResultExplanation {
  words: WordPart[];
  /** The terms that a misspelt word may stand for, by the word as it was written. */
  corrections: Record<string, string[]>;
  /** See `Verdict`. */
  floor: {
    applied: boolean;
    reason: string;
    cosine: number | null;
    coverage: number | null;
    coverage_weight: number;
    evidence: number | null;
    threshold: number;
  };
  nothing_relevant: Reason | null;
}

/** A word of the query as it is looked up: its weight, and the terms that it may stand for with theirs. */
export interface WordPart {
  word: string;
  weight: number;
  terms: Record<string, number>;
  prefix: string | null;
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
  /**
   * First message: where the index stands (absolute URL, ending in a slash), its manifest, and the files
   * that the page is fetching for the worker.
   */
  | { type: "start"; base: string; manifest: unknown; coming: string[] }
  /** One of these, as it travelled; no bytes if it could not be fetched. */
  | { type: "file"; file: string; bytes: ArrayBuffer | undefined }
  /** `mode` absent: the best that is at hand now. Given: waits for the encoder where it needs one. */
  | { type: "search"; id: number; query: string; mode?: Mode; limit: number; explain?: boolean }
  /** Begin to load the full encoder; answered by `progress` and then `rung` or `encoder_failed`. */
  | { type: "load_encoder" };

export type FromWorker =
  | { type: "ready" }
  | { type: "result"; id: number; result: ShownResult }
  | { type: "failed"; id: number; failure: Failure }
  | { type: "progress"; loaded: number; total: number }
  | { type: "rung"; rung: Rung }
  | { type: "encoder_failed"; failure: Failure };
