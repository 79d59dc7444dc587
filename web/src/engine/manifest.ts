/** The manifest as the engine needs it; `builder/manifest.py` writes it. */

import { FORMAT, IndexError } from "./format.ts";
import type { LightWords } from "./query.ts";

export interface File {
  /** Relative to the manifest; `../` stands before what it shares with the site's other languages. */
  file: string;
  bytes: number;
}

/** A pack and the number of its first passage. */
export interface PackFile extends File {
  first: number;
}

export interface FieldParameters {
  weight: number;
  b: number;
  mean_length: number;
}

export interface Bm25Parameters {
  k1: number;
  coverage: number;
  /** Title, path, heading, body, code. */
  fields: FieldParameters[];
}

export interface EncoderFiles {
  name: string;
  dims: number;
  limit: number;
  pooling: "mean" | "cls";
  query_prefix: string;
  model: File;
  tokenizer: File;
  runtime: File;
  /** What of a query's vector is the light encoder's, 0 to 1. */
  light_share: number;
  /** From the encoder's vectors to the codes' space; null where that is its own. */
  projection: File | null;
  code: File;
}

export interface Floor {
  coverage_weight: number;
  threshold: number;
}

export interface Manifest {
  language: string;
  pages: number;
  passages: number;
  bm25: Bm25Parameters;
  fusion: { k: number; depth: number; lexical_support: number; vector_support: number };
  floor: Floor;
  light: LightWords;
  table: File;
  packs: File;
  dictionary: File;
  vectors: { scheme: string; dims: number; bits: number; packs: PackFile[] } | null;
  /** The light query encoder: its tables, and a floor for what it ranks. */
  light_encoder: { tables: File[]; floor: Floor } | null;
  encoder: EncoderFiles | null;
}

const FIELDS = ["title", "path", "heading", "body", "code"];

/**
 * Checks every number that ranking uses: one that is missing would become NaN, and NaN ranks.
 *
 * @throws {IndexError} for a manifest that is not one, or of another format
 */
export function parseManifest(value: unknown): Manifest {
  const manifest = object(value, "manifest");
  if (manifest.format !== FORMAT) {
    throw new IndexError(`The index has format ${String(manifest.format)}, this reader knows ${FORMAT}.`);
  }
  const bm25 = object(manifest.bm25, "bm25");
  const fields = object(bm25.fields, "bm25.fields");
  const fusion = object(manifest.fusion, "fusion");
  const light = object(manifest.light, "light");
  const codes = manifest.vectors === null ? null : vectors(object(manifest.vectors, "vectors"));
  const queries = manifest.encoder === null ? null : encoder(object(manifest.encoder, "encoder"));
  if (codes && queries && !queries.projection && codes.dims !== queries.dims) throw wrong("encoder.dims");
  return {
    language: string(manifest.language, "language"),
    pages: number(manifest.pages, "pages"),
    passages: number(manifest.passages, "passages"),
    bm25: {
      k1: number(bm25.k1, "bm25.k1"),
      coverage: number(bm25.coverage, "bm25.coverage"),
      fields: FIELDS.map((name) => {
        const field = object(fields[name], `bm25.fields.${name}`);
        return {
          weight: number(field.weight, `${name}.weight`),
          b: number(field.b, `${name}.b`),
          mean_length: number(field.mean_length, `${name}.mean_length`),
        };
      }),
    },
    fusion: {
      k: number(fusion.k, "fusion.k"),
      depth: number(fusion.depth, "fusion.depth"),
      lexical_support: number(fusion.lexical_support, "fusion.lexical_support"),
      vector_support: number(fusion.vector_support, "fusion.vector_support"),
    },
    floor: floor(manifest.floor, "floor"),
    light: {
      weight: number(light.weight, "light.weight"),
      words: new Set(strings(light.words, "light.words")),
    },
    table: file(manifest.table, "table"),
    packs: file(manifest.packs, "packs"),
    dictionary: file(manifest.dictionary, "dictionary"),
    vectors: codes,
    light_encoder: manifest.light_encoder === null ? null : lightEncoder(manifest.light_encoder),
    encoder: queries,
  };
}

function floor(value: unknown, name: string): Floor {
  const members = object(value, name);
  return {
    coverage_weight: number(members.coverage_weight, `${name}.coverage_weight`),
    threshold: number(members.threshold, `${name}.threshold`),
  };
}

function lightEncoder(value: unknown): Manifest["light_encoder"] {
  const members = object(value, "light_encoder");
  if (!Array.isArray(members.tables)) throw wrong("light_encoder.tables");
  return {
    tables: members.tables.map((table) => file(table, "light_encoder.tables")),
    floor: floor(members.floor, "light_encoder.floor"),
  };
}

function vectors(members: Record<string, unknown>): Manifest["vectors"] {
  return {
    scheme: string(members.scheme, "vectors.scheme"),
    dims: number(members.dims, "vectors.dims"),
    bits: number(members.bits, "vectors.bits"),
    packs: packs(members.packs, "vectors.packs"),
  };
}

function encoder(members: Record<string, unknown>): EncoderFiles {
  return {
    name: string(members.name, "encoder.name"),
    dims: number(members.dims, "encoder.dims"),
    limit: number(members.limit, "encoder.limit"),
    pooling: pooling(members.pooling),
    query_prefix: string(members.query_prefix, "encoder.query_prefix"),
    model: file(members.model, "encoder.model"),
    tokenizer: file(members.tokenizer, "encoder.tokenizer"),
    runtime: file(members.runtime, "encoder.runtime"),
    projection: members.projection === null ? null : file(members.projection, "encoder.projection"),
    light_share: number(members.light_share, "encoder.light_share"),
    code: file(members.code, "encoder.code"),
  };
}

function pooling(value: unknown): EncoderFiles["pooling"] {
  if (value !== "mean" && value !== "cls") throw wrong("encoder.pooling");
  return value;
}

function packs(value: unknown, name: string): PackFile[] {
  if (!Array.isArray(value)) throw wrong(name);
  return value.map((pack) => ({
    ...file(pack, name),
    first: number(object(pack, name).first, `${name}.first`),
  }));
}

/** What a file of an index may be called: nothing leads anywhere but to the site's indexes. */
const FILE_NAME = /^(?:\.\.\/)?[a-z]+-[0-9a-f]+\.(?:bin|js)$/;

function file(value: unknown, name: string): File {
  const members = object(value, name);
  const path = string(members.file, `${name}.file`);
  if (!FILE_NAME.test(path)) throw wrong(`${name}.file`);
  return { file: path, bytes: number(members.bytes, `${name}.bytes`) };
}

function object(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong(name);
  return value as Record<string, unknown>;
}

function string(value: unknown, name: string): string {
  if (typeof value !== "string") throw wrong(name);
  return value;
}

function strings(value: unknown, name: string): string[] {
  if (!Array.isArray(value)) throw wrong(name);
  return value.map((item) => string(item, name));
}

function number(value: unknown, name: string): number {
  if (typeof value !== "number" || !Number.isFinite(value)) throw wrong(name);
  return value;
}

function wrong(name: string): IndexError {
  return new IndexError(`The manifest's ${name} is missing or wrong.`);
}
