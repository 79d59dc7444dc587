/** The cases that both languages must answer alike; `tests/contract/test_contract.py` runs them in the other. */

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Lookup, norm, score } from "../../web/src/engine/bm25.ts";
import { tiers } from "../../web/src/engine/exact.ts";
import { decodedLength } from "../../web/src/engine/format.ts";
import { fuse, ranking, supported } from "../../web/src/engine/fusion.ts";
import { cut, encodeLight, wordsForPieces } from "../../web/src/engine/light.ts";
import { compareTerms } from "../../web/src/engine/lookup.ts";
import { read } from "../../web/src/engine/operators.ts";
import { queryWords } from "../../web/src/engine/query.ts";
import { respelt, similar } from "../../web/src/engine/spelling.ts";
import { terms } from "../../web/src/engine/terms.ts";
import { weighed } from "../../web/src/engine/unfinished.ts";
import { codesOf, cosines, projected } from "../../web/src/engine/vectors.ts";
import { stemOf } from "./stemming.ts";

// biome-ignore lint/suspicious/noExplicitAny: what a case holds depends on its file
type Given = any;

const RUN: Record<string, (given: Given, expected: Given) => unknown> = {
  terms: ({ text, language }) => [...terms(text, stemOf(language))],

  query: ({ query, language, light, light_weight }) =>
    queryWords(query, stemOf(language), { weight: light_weight, words: new Set<string>(light) }).map(
      ({ weight, alternatives, prefix, sure }) => ({
        weight,
        alternatives: Object.fromEntries(alternatives),
        prefix,
        ...(sure < 1 ? { sure } : {}),
      }),
    ),

  unfinished: ({ words, postings, passages }) =>
    weighed(
      words.map((word: Given) => ({ ...word, alternatives: new Map(Object.entries(word.alternatives)) })),
      {
        postings: (term) => {
          const found = postings[term] as number[] | undefined;
          return (
            found && {
              passages: Uint32Array.from(found),
              frequencies: new Uint32Array(),
              keyed: new Uint8Array(),
            }
          );
        },
        expand: (prefix) =>
          Object.keys(postings)
            .filter((term) => term.startsWith(prefix))
            .sort()
            .map((term) => [term, postings[term].length]),
      },
      passages,
    ).map(({ weight }) => weight),

  spelling: ({ word, dictionary }) => similar(word, dictionary),

  respelt: ({ text, best, language }) => respelt(text, new Map(Object.entries(best)), stemOf(language)),

  operators: ({ query, language, terms: known }) =>
    read(query, stemOf(language), (term) => known.includes(term)),

  bm25({ words, postings, lengths, boosts, parameters: { k1, coverage, fields } }) {
    const parameters = {
      k1,
      coverage,
      fields: fields.map(([weight, b, mean_length]: number[]) => ({ weight, b, mean_length })),
    };
    const lookup: Lookup = {
      postings(term) {
        const rows = postings[term] as number[][] | undefined;
        if (!rows) return undefined;
        return {
          passages: Uint32Array.from(rows, ([passage]) => passage!),
          frequencies: Uint32Array.from(rows.flatMap((row) => row.slice(1))),
          keyed: new Uint8Array(rows.length),
        };
      },
      expand: (prefix) =>
        Object.keys(postings)
          .filter((term) => term.startsWith(prefix))
          .sort(compareTerms)
          .map((term) => [term, postings[term].length]),
    };
    const asked = words.map((word: Given) => ({
      ...word,
      alternatives: new Map(Object.entries(word.alternatives)),
    }));
    const norms = norm(Float64Array.from(lengths.flat()), parameters);
    const factors = Float64Array.from(boosts ?? lengths.map(() => 1));
    const scored = score(asked, lookup, norms, factors, parameters);
    return { scores: [...scored.scores], coverage: [...scored.coverage] };
  },

  vectors({ query, bits, levels, mean, rows }, expected) {
    if (rows) {
      const projection = { mean: Float32Array.from(mean), rows: Int8Array.from(rows.flat()) };
      return { projected: [...projected(Float32Array.from(query), projection)] };
    }
    if (!query) return expected; // how a vector becomes a code is the writer's affair
    const codes = codesOf(query.length, bits, Uint8Array.from(levels.flatMap(packed(bits))));
    return { cosines: [...cosines(Float32Array.from(query), codes)] };
  },

  light({ text, pieces, weights, levels }) {
    const rows = new Map<string, number>(pieces.map((piece: string, row: number) => [piece, row]));
    if (!weights) return wordsForPieces(text).flatMap((word) => cut(word, (piece) => rows.has(piece)));
    const packs = Uint8Array.from(levels.flatMap(packed(2)));
    const table = {
      pieces: rows,
      weights: Uint16Array.from(weights),
      dims: levels[0].length,
      bits: 2,
      rows: packs,
    };
    return [...encodeLight(text, [table])];
  },

  exact({ query, language, pages, titles, headings, keys, light }) {
    const lookup = (term: string) => {
      const rows = keys[term] as number[][] | undefined;
      if (!rows) return undefined;
      return {
        passages: Uint32Array.from(rows, ([passage]) => passage!),
        frequencies: new Uint32Array(5 * rows.length),
        keyed: Uint8Array.from(rows, ([, keyed]) => keyed!),
      };
    };
    const lengths = Float64Array.from(
      titles.flatMap((title: number, at: number) => [title, 0, headings[at], 0, 0]),
    );
    return [
      ...tiers(query, stemOf(language), lookup, lengths, Uint32Array.from(pages), new Set<string>(light)),
    ];
  },

  fusion({ rankings, k, scores, depth, positive_only, pages, weight }) {
    if (pages) return [...supported(Float64Array.from(scores), Uint32Array.from(pages), weight)];
    return rankings ? fuse(rankings, k) : ranking(Float64Array.from(scores), depth, positive_only);
  },

  length_code: (_, { code }) => ({ code, reads_as: decodedLength(code) }),
};

/** The bytes of a row of levels. */
const packed = (bits: number) => (levels: number[]) => {
  const bytes: number[] = new Array(Math.ceil((levels.length * bits) / 8)).fill(0);
  levels.forEach((level, at) => {
    bytes[Math.floor((at * bits) / 8)]! |= ((level + 2 ** bits - 1) / 2) << ((at * bits) % 8);
  });
  return bytes;
};

/** Numbers to five decimals: they are written by hand, or by a formula in another order. */
const near = (expected: Given) =>
  JSON.parse(JSON.stringify(expected), (_, each) =>
    typeof each === "number" ? expect.closeTo(each, 5) : each,
  );

for (const [name, run] of Object.entries(RUN)) {
  const cases = JSON.parse(
    readFileSync(new URL(`../contract/cases/${name}.json`, import.meta.url), "utf8"),
  ) as { why: string; given: Given; expect: Given }[];
  describe(name, () => {
    it.each(cases)("$why", ({ given, expect: expected }) => {
      expect(run(given, expected)).toEqual(near(expected));
    });
  });
}
