import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { Tokenizer } from "@huggingface/tokenizers";
import { describe, expect, it } from "vitest";
import { FOREIGN, normalizeForEncoder } from "../../web/src/engine/encoder_text.ts";

interface Cases {
  foreign: string;
  texts: [text: string, normalized: string | null, ids: number[]][];
  block: number;
  sweep: string[];
}

const read = (path: string) => readFileSync(new URL(path, import.meta.url));
const cases = JSON.parse(gunzipSync(read("../contract/tokenizer_cases.json.gz")).toString()) as Cases;
const tokenizer = new Tokenizer(
  JSON.parse(read("../../builder/all-MiniLM-L6-v2/tokenizer.json").toString()),
  {},
);
const ids = (text: string) => tokenizer.encode(normalizeForEncoder(text)).ids;

describe("a query's pieces are those of Python's tokenizers", () => {
  it("keeps the same list of foreign code points", () => {
    expect(FOREIGN).toBe(cases.foreign);
  });

  it(`for ${cases.texts.length} texts in many languages, code and noise`, () => {
    expect(cases.texts.length).toBeGreaterThanOrEqual(2_000);
    const differing = cases.texts.filter(
      ([text, normalized, expected]) =>
        normalizeForEncoder(text) !== (normalized ?? text) || ids(text).join() !== expected.join(),
    );
    expect(differing).toEqual([]);
  });

  it("for every code point, alone and within a word", () => {
    const differing = cases.sweep.flatMap((expected, index) => {
      const start = index * cases.block;
      const rows = Array.from({ length: cases.block }, (_, offset) => {
        const character = String.fromCodePoint(start + offset);
        return ids(`a${character}b ${character} x`).join();
      });
      const digest = createHash("sha256").update(rows.join(";")).digest("hex").slice(0, 8);
      return digest === expected ? [] : [`U+${start.toString(16)}`];
    });
    expect(differing).toEqual([]);
  }, 60_000);
});
