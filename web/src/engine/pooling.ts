/** How the pieces of a text become one vector. */
export type Pooling = "mean" | "cls";

/**
 * The unit vector of a text, from what the model returned for it.
 *
 * Sums run in float64 from the first piece on, as in `builder/encoder.py`, and are rounded once at the end.
 *
 * @param output token vectors [pieces, dims], one after the other; or [dims], which the model pooled itself.
 * @param dims the vectors' width.
 */
export function pool(output: Float32Array, dims: number, pooling: Pooling): Float32Array {
  const pieces = pooling === "cls" ? 1 : output.length / dims;
  const exact = new Float64Array(dims);
  for (let piece = 0; piece < pieces; piece++) {
    for (let dim = 0; dim < dims; dim++) exact[dim]! += output[piece * dims + dim]!;
  }
  let squares = 0;
  for (let dim = 0; dim < dims; dim++) {
    exact[dim]! /= pieces;
    squares += exact[dim]! * exact[dim]!;
  }
  const norm = Math.max(Math.sqrt(squares), 1e-12);
  return Float32Array.from(exact, (value) => value / norm);
}
