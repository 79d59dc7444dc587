/** A file of the index, relative to the loader; `bytes` is what it weighs on the wire. */
export interface IndexFile {
  file: string;
  bytes: number;
}

/** What the page reads of the manifest; the rest is the worker's. */
export interface Manifest {
  format: number;
  /** The site's root as seen from the index; pages' URLs are relative to it. */
  root: string;
  /** What every query needs. */
  table: IndexFile;
  packs: IndexFile;
  code: { worker: IndexFile; dialog: IndexFile };
  light_encoder: { tables: IndexFile[] } | null;
  /** Null where the owner built without a model. */
  encoder: { code: IndexFile; runtime: IndexFile; model: IndexFile; tokenizer: IndexFile } | null;
}
