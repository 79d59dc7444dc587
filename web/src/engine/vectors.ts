/** The exact scan over int8 codes; the twin of `builder/vectors.py`. */

/** Quantised vectors: a scale a vector, and codes row by row. */
export interface Codes {
  dims: number;
  scales: Float32Array;
  codes: Int8Array;
}

/** The query is taken in these units; products and sums are then integers below 2**53, exact in any order. */
const UNIT = 2 ** 24;

/** The cosine of a query with every vector. */
export function cosines(query: Float32Array, { dims, scales, codes }: Codes): Float64Array {
  const units = Float64Array.from(query, (value) => Math.floor(value * UNIT + 0.5));
  const found = new Float64Array(scales.length);
  for (let row = 0; row < scales.length; row++) {
    const start = row * dims;
    let sum = 0;
    for (let dim = 0; dim < dims; dim++) sum += codes[start + dim]! * units[dim]!;
    found[row] = scales[row]! * (sum / UNIT);
  }
  return found;
}
