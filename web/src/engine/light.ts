/** The light query encoder, by a table of pieces; the twin of `builder/light.py`, which says what it is. */

import { normalizeForEncoder } from "./encoder_text.ts";
import { unit } from "./vectors.ts";

/** Pieces with the number of their row, a weight each, and rows of packed levels, one after the other. */
export interface LightTable {
  pieces: Map<string, number>;
  weights: Uint16Array;
  dims: number;
  bits: number;
  rows: Uint8Array;
}

/** Before a piece that does not begin a word. */
const INSIDE = "##";
const LONGEST = 100;
const SIGN = "!-\\/:-@\\[-`\\{-~\\p{P}";
const IDEOGRAPH = "\\u3400-\\u4DBF\\u4E00-\\u9FFF\\uF900-\\uFAFF";
const WORD = new RegExp(`[${SIGN}${IDEOGRAPH}]|[^${SIGN}${IDEOGRAPH}\\p{Z}\\p{Cc}\\p{Cf}]+`, "gu");

/** Words and single signs, in lower case and without marks, as the encoder's tokenizer has them. */
export function wordsForPieces(text: string): string[] {
  const folded = normalizeForEncoder(text)
    .toLowerCase()
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "");
  return folded.match(WORD) ?? [];
}

/** The longest piece that begins the word, then the longest that goes on; none if that comes to a halt. */
export function cut(word: string, isKnown: (piece: string) => boolean): string[] {
  const letters = [...word];
  if (letters.length > LONGEST) return [];
  const found: string[] = [];
  let start = 0;
  while (start < letters.length) {
    const prefix = start > 0 ? INSIDE : "";
    let end = letters.length;
    while (end > start && !isKnown(prefix + letters.slice(start, end).join(""))) end--;
    if (end === start) return [];
    found.push(prefix + letters.slice(start, end).join(""));
    start = end;
  }
  return found;
}

/** The unit vector of a text by tables of which each knows other pieces; zeros if no piece of it is known. */
export function encodeLight(text: string, tables: readonly LightTable[]): Float32Array {
  const holding = (piece: string) => tables.find(({ pieces }) => pieces.has(piece));
  const sum = new Float64Array(tables[0]?.dims ?? 0);
  for (const word of wordsForPieces(text)) {
    for (const piece of cut(word, (each) => holding(each) !== undefined)) add(sum, holding(piece)!, piece);
  }
  return unit(sum);
}

function add(sum: Float64Array, { pieces, weights, bits, rows }: LightTable, piece: string): void {
  const row = pieces.get(piece)!;
  const highest = 2 ** bits - 1;
  const first = row * Math.ceil((sum.length * bits) / 8);
  for (let dim = 0; dim < sum.length; dim++) {
    const bit = dim * bits;
    const level = 2 * ((rows[first + (bit >> 3)]! >> (bit & 7)) & highest) - highest;
    sum[dim]! += weights[row]! * level;
  }
}
