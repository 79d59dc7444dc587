/**
 * The only module that knows bytes; the reader of what `builder/format.py` writes. The contract is
 * `docs/index-format.md`. Files come here after gunzip.
 */

import type { LightTable } from "./light.ts";
import type { BlockKind } from "./types.ts";
import { type Codes, codesOf, type Projection } from "./vectors.ts";

/** Version of everything in an index; a newer one is refused. */
export const FORMAT = 1;

const HEADER_BYTES = 12;
const MAGIC = 0x4750524e; // "NRPG", little-endian
/** Title, path, heading, body, code. */
export const FIELDS = 5;
/** The bit of a posting's byte that says that frequencies follow. */
const MORE = 1 << FIELDS;
/** Where in a posting's byte the two bits stand that say where the term is a key. */
const KEYED = FIELDS + 1;

/** What an envelope holds. */
export const Kind = {
  passages: 1,
  postings: 2,
  texts: 3,
  vectors: 4,
  encoder: 5,
  dictionary: 6,
  projection: 7,
  light: 8,
  packs: 9,
} as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

/** Bytes that are wrong, cut short or newer than this reader. */
export class IndexError extends Error {}

/** The payload of a file. */
export function unwrap(kind: Kind, data: Uint8Array, name: string): Uint8Array {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  if (data.length < HEADER_BYTES || view.getUint32(0, true) !== MAGIC) {
    throw new IndexError(`${name} is not a file of a Nearpage index.`);
  }
  const version = view.getUint16(4, true);
  if (version !== FORMAT) throw new IndexError(`${name} has format ${version}, this reader knows ${FORMAT}.`);
  if (view.getUint16(6, true) !== kind) {
    throw new IndexError(`${name} holds kind ${view.getUint16(6, true)}, expected ${kind}.`);
  }
  const length = view.getUint32(8, true);
  if (data.length - HEADER_BYTES !== length) {
    throw new IndexError(`${name} has ${data.length - HEADER_BYTES} bytes where ${length} were written.`);
  }
  return data.subarray(HEADER_BYTES);
}

/** A reading position in a payload. */
class Cursor {
  readonly #data: Uint8Array;
  readonly #name: string;
  #at = 0;

  constructor(data: Uint8Array, name: string) {
    this.#data = data;
    this.#name = name;
  }

  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
  }

  u32(): number {
    const bytes = this.take(4);
    return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  }

  byte(): number {
    return this.take(1)[0]!;
  }

  take(count: number): Uint8Array {
    const piece = this.#data.subarray(this.#at, this.#at + count);
    if (piece.length !== count) throw new IndexError(`${this.#name} ends too early.`);
    this.#at += count;
    return piece;
  }
}

/** The length that a byte stands for: exact below 24, then three significant bits below the leading one. */
export function decodedLength(code: number): number {
  const free = 24;
  if (code < free) return code;
  const value = code - free;
  const bits = (value >> 3) - 1;
  return free + (bits < 0 ? value : ((value & 7) | 8) * 2 ** bits);
}

/** What an index keeps of a length: the greatest that a byte can stand for and that is not above it. */
export function keptLength(length: number): number {
  let code = 0;
  while (code < 255 && decodedLength(code + 1) <= length) code++;
  return decodedLength(code);
}

/** What ranking needs to know of every passage. */
export interface PassageTable {
  /** The page of each passage. */
  pages: Uint32Array;
  boosts: Float64Array;
  /** Lengths in lexemes, five a passage. */
  lengths: Float64Array;
}

export function decodePassages(payload: Uint8Array, name: string): PassageTable {
  const cursor = new Cursor(payload, name);
  const counts = Array.from({ length: cursor.varint() }, () => cursor.varint());
  const boostOfPage = new Map<number, number>();
  for (let left = cursor.varint(); left > 0; left--) {
    const page = cursor.varint();
    const bytes = cursor.take(4);
    boostOfPage.set(page, new DataView(bytes.buffer, bytes.byteOffset).getFloat32(0, true));
  }
  const total = counts.reduce((sum, count) => sum + count, 0);
  const pages = new Uint32Array(total);
  const boosts = new Float64Array(total);
  let at = 0;
  counts.forEach((count, page) => {
    pages.fill(page, at, at + count);
    boosts.fill(boostOfPage.get(page) ?? 1, at, at + count);
    at += count;
  });
  const lengths = new Float64Array(FIELDS * total);
  for (let field = 0; field < FIELDS; field++) {
    cursor.take(total).forEach((code, passage) => {
      lengths[FIELDS * passage + field] = decodedLength(code);
    });
  }
  return { pages, boosts, lengths };
}

/** A term's postings: passage numbers, rising, and frequencies, five a posting. */
export interface PostingList {
  passages: Uint32Array;
  frequencies: Uint32Array;
  /** Where the term is the key of a lexeme: 1 in the title, 2 in the own heading, 3 in both. */
  keyed: Uint8Array;
}

/** Reads texts of which each is told by what it shares with the one before it. */
function texts(cursor: Cursor): () => string {
  const decoder = new TextDecoder();
  let before = new Uint8Array(0);
  return () => {
    const shared = cursor.varint();
    const rest = cursor.take(cursor.varint());
    const written = new Uint8Array(shared + rest.length);
    written.set(before.subarray(0, shared));
    written.set(rest, shared);
    before = written;
    return decoder.decode(written);
  };
}

/** A decoded dictionary; lists are decoded when they are asked for. */
export class PostingsPack {
  readonly #name: string;
  readonly #entries = new Map<string, { df: number; list: Uint8Array }>();

  constructor(payload: Uint8Array, name: string) {
    this.#name = name;
    const cursor = new Cursor(payload, name);
    const sizes: { term: string; df: number; bytes: number }[] = [];
    const next = texts(cursor);
    for (let left = cursor.varint(); left > 0; left--) {
      sizes.push({ term: next(), df: cursor.varint(), bytes: cursor.varint() });
    }
    for (const { term, df, bytes } of sizes) this.#entries.set(term, { df, list: cursor.take(bytes) });
  }

  /** [term, df] in term order. */
  *frequencies(): Generator<[string, number]> {
    for (const [term, { df }] of this.#entries) yield [term, df];
  }

  get(term: string): PostingList | undefined {
    const entry = this.#entries.get(term);
    if (!entry) return undefined;
    const cursor = new Cursor(entry.list, this.#name);
    const passages = new Uint32Array(entry.df);
    const frequencies = new Uint32Array(FIELDS * entry.df);
    const keyed = new Uint8Array(entry.df);
    let passage = -1;
    for (let index = 0; index < entry.df; index++) {
      passage += cursor.varint();
      passages[index] = passage;
      const fields = cursor.byte();
      keyed[index] = fields >> KEYED;
      for (let field = 0; field < FIELDS; field++) {
        if ((fields >> field) & 1) frequencies[FIELDS * index + field] = fields & MORE ? cursor.varint() : 1;
      }
    }
    return { passages, frequencies, keyed };
  }
}

/** [term, df] in term order: what words are compared with that the site does not have. */
export function decodeDictionary(payload: Uint8Array): [string, number][] {
  let term = "";
  const lines = new TextDecoder().decode(payload).split("\n");
  return lines.slice(0, -1).map((line) => {
    let end = line.length;
    while (end > 1 && line.charCodeAt(end - 1) < 58) end--;
    term = term.slice(0, line.charCodeAt(0) - 65) + line.slice(1, end);
    return [term, Number(line.slice(end) || 1)];
  });
}

/** A passage as a hit shows it. */
export interface ShownPassage {
  url: string;
  title: string;
  anchor: string | null;
  headingPath: string[];
  blocks: { kind: BlockKind; text: string }[];
}

const KINDS: Record<string, BlockKind> = { p: "prose", c: "code", t: "table", s: "signature" };

type WrittenPassage = [anchor: string | null, headingPath: string[], blocks: string[]];
type WrittenPage = [url: string, title: string, passages: WrittenPassage[]];

/** The passages of a pack in order. */
export function decodeTexts(payload: Uint8Array, name: string): ShownPassage[] {
  let pages: WrittenPage[];
  try {
    pages = JSON.parse(new TextDecoder().decode(payload)) as WrittenPage[];
  } catch {
    throw new IndexError(`${name} holds texts that cannot be read.`);
  }
  return pages.flatMap(([url, title, passages]) =>
    passages.map(([anchor, headingPath, written]) => {
      const blocks = [];
      for (let at = 0; at < written.length; at += 2) {
        blocks.push({ kind: KINDS[written[at]!] ?? "prose", text: written[at + 1]! });
      }
      return { url, title, anchor, headingPath, blocks };
    }),
  );
}

/** A file of postings or texts, and the key of its first entry. */
export interface ListedPack<Key> {
  file: string;
  first: Key;
}

/** The packs of an index, in the order of their keys. */
export interface PackList {
  postings: ListedPack<string>[];
  texts: ListedPack<number>[];
}

const HASH_BYTES = 8;

export function decodePacks(payload: Uint8Array, name: string): PackList {
  const cursor = new Cursor(payload, name);
  const named = <Key>(stem: string, keys: Key[]) =>
    keys.map((first) => {
      const hash = Array.from(cursor.take(HASH_BYTES), (byte) => byte.toString(16).padStart(2, "0"));
      return { file: `${stem}-${hash.join("")}.bin`, first };
    });
  const terms = Array.from({ length: cursor.varint() }, texts(cursor));
  const postings = named("postings", terms);
  let passage = 0;
  const passages = Array.from({ length: cursor.varint() }, () => {
    passage += cursor.varint();
    return passage;
  });
  return { postings, texts: named("texts", passages) };
}

const SCHEME = "levels";
const BITS = [1, 2, 4, 8];

/** The codes of one pack. */
export function decodeVectors(payload: Uint8Array, name: string): Codes {
  const cursor = new Cursor(payload, name);
  const scheme = new TextDecoder().decode(cursor.take(8)).replace(/\0+$/u, "");
  const [count, dims, bits] = [cursor.u32(), cursor.u32(), cursor.u32()];
  if (scheme !== SCHEME || !BITS.includes(bits))
    throw new IndexError(`${name} has codes of scheme ${scheme} with ${bits} bits, unknown to this reader.`);
  return codesOf(dims, bits, cursor.take(count * Math.ceil((dims * bits) / 8)));
}

/** The codes of several packs as one; all of the same width. */
export function joinedCodes(packs: Codes[]): Codes {
  const [first] = packs;
  if (!first || packs.length === 1) return first ?? codesOf(0, 1, new Uint8Array());
  const rows = new Uint8Array(packs.reduce((sum, pack) => sum + pack.rows.length, 0));
  const lengths = new Float64Array(packs.reduce((sum, pack) => sum + pack.lengths.length, 0));
  let [byte, row] = [0, 0];
  for (const pack of packs) {
    rows.set(pack.rows, byte);
    lengths.set(pack.lengths, row);
    byte += pack.rows.length;
    row += pack.lengths.length;
  }
  return { ...first, rows, lengths };
}

/** From the encoder's vectors to the codes' space; `width` and `dims` are what the two must be. */
export function decodeProjection(payload: Uint8Array, name: string, width: number, dims: number): Projection {
  const cursor = new Cursor(payload, name);
  if (cursor.u32() !== width || cursor.u32() !== dims)
    throw new IndexError(`${name} does not fit the manifest beside it.`);
  // Copies, because typed arrays of four bytes an element must be aligned.
  const mean = new Float32Array(cursor.take(4 * width).slice().buffer);
  return { mean, rows: new Int8Array(cursor.take(dims * width).slice().buffer) };
}

/** A table of the light encoder, for codes of `dims` numbers. */
export function decodeLight(payload: Uint8Array, name: string, dims: number): LightTable {
  const cursor = new Cursor(payload, name);
  const [count, width, bits] = [cursor.u32(), cursor.u32(), cursor.u32()];
  if (width !== dims || !BITS.includes(bits))
    throw new IndexError(`${name} does not fit the manifest beside it.`);
  const next = texts(cursor);
  const pieces = new Map<string, number>();
  for (let row = 0; row < count; row++) pieces.set(next(), row);
  // A copy, because typed arrays of two bytes an element must be aligned.
  const weights = new Uint16Array(cursor.take(2 * count).slice().buffer);
  return { pieces, weights, dims, bits, rows: cursor.take(count * Math.ceil((dims * bits) / 8)) };
}
