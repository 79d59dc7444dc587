import { describe, expect, it } from "vitest";
import { pool } from "../../web/src/engine/pooling.ts";

describe("pool", () => {
  const tokens = Float32Array.of(3, 0, 1, 4);

  it("means the tokens' vectors to a unit vector", () => {
    expect(pool(tokens, 2, "mean")).toEqual(Float32Array.of(4 / Math.sqrt(32), 4 / Math.sqrt(32)));
  });

  it("takes the first token's vector where the model was trained so", () => {
    expect(pool(tokens, 2, "cls")).toEqual(Float32Array.of(1, 0));
  });

  it("leaves what the model pooled itself, but for its length", () => {
    expect(pool(Float32Array.of(0, 5), 2, "mean")).toEqual(Float32Array.of(0, 1));
  });

  it("gives zeros for zeros, not NaN", () => {
    expect(pool(new Float32Array(2), 2, "mean")).toEqual(new Float32Array(2));
  });
});
