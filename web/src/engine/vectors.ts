/** The exact scan over codes of a few bits; the twin of `builder/vectors.py`, which says what they are. */

/** Codes of passages: rows of packed levels, one after the other, and the length of each row's levels. */
export interface Codes {
  dims: number;
  bits: number;
  rows: Uint8Array;
  lengths: Float64Array;
}

/** From an encoder's space to that of the codes: the mean [width], and rows [dims, width] one after the other. */
export interface Projection {
  mean: Float32Array;
  rows: Int8Array;
}

/** Numbers are taken in these units; products and sums are then integers below 2**53, exact in any order. */
const UNIT = 2 ** 24;

const units = (value: number) => Math.floor(value * UNIT + 0.5);

/** What the numbers of a byte give, by place of the byte in a row and its value. */
type Table = Float64Array;

/** A table of Σ term(level, dim) over the numbers that a byte holds. */
function tableOf(dims: number, bits: number, term: (level: number, dim: number) => number): Table {
  const inByte = 8 / bits;
  const table = new Float64Array(256 * Math.ceil(dims / inByte));
  for (let entry = 0; entry < table.length; entry++) {
    const first = (entry >> 8) * inByte;
    for (let index = 0; index < inByte && first + index < dims; index++) {
      const kept = (entry >> (index * bits)) & (2 ** bits - 1) & 0xff;
      table[entry]! += term(2 * kept - (2 ** bits - 1), first + index);
    }
  }
  return table;
}

/** The sum over a row's bytes of what a table says of each. */
function sums(rows: Uint8Array, table: Table): Float64Array {
  const width = table.length >> 8;
  const found = new Float64Array(rows.length / width);
  for (let row = 0, at = 0; row < found.length; row++) {
    let sum = 0;
    for (let place = 0; place < table.length; place += 256) sum += table[place + rows[at++]!]!;
    found[row] = sum;
  }
  return found;
}

/** Codes with what the scan needs of them. */
export function codesOf(dims: number, bits: number, rows: Uint8Array): Codes {
  const squares = sums(
    rows,
    tableOf(dims, bits, (level) => level * level),
  );
  return { dims, bits, rows, lengths: squares.map(Math.sqrt) };
}

/** The cosine of a unit query with every code. */
export function cosines(query: Float32Array, { dims, bits, rows, lengths }: Codes): Float64Array {
  const exact = Float64Array.from(query, units);
  const products = sums(
    rows,
    tableOf(dims, bits, (level, dim) => level * exact[dim]!),
  );
  return products.map((sum, row) => sum / (UNIT * lengths[row]!));
}

/** The unit vector of an encoder's vector in the space of the codes; without a projection it is there already. */
export function projected(vector: Float32Array, projection: Projection | null): Float32Array {
  if (!projection) return vector;
  const { mean, rows } = projection;
  const centred = Float64Array.from(vector, (value, at) => units(value) - units(mean[at]!));
  const inner = new Float64Array(rows.length / centred.length);
  for (let dim = 0, at = 0; dim < inner.length; dim++) {
    for (const value of centred) inner[dim]! += value * rows[at++]!;
  }
  return unit(inner);
}

/** Two vectors of one space as one: the unit vector of their sum, `share` of it the second. */
export function blended(first: Float32Array, second: Float32Array, share: number): Float32Array {
  return unit(Float64Array.from(first, (value, at) => value * (1 - share) + second[at]! * share));
}

/** A vector at length 1, or 0 as it is. */
export function unit(vector: Float64Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return Float32Array.from(vector, (value) => value / (length > 0 ? length : 1));
}
