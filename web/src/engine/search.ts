/** A query answered from what has been fetched; the twin of `builder/search.py`. */

import { type Lookup, score } from "./bm25.ts";
import { tiers } from "./exact.ts";
import type { ShownPassage } from "./format.ts";
import { fuse, ranking, supported } from "./fusion.ts";
import type { Manifest } from "./manifest.ts";
import { isCode, type QueryWord } from "./query.ts";
import type { Stem } from "./terms.ts";
import type { Hit, Mode } from "./types.ts";
import { type Codes, cosines } from "./vectors.ts";

/** The passages of an answer, best first, before their texts are there. */
export interface Ranked {
  status: "ok" | "nothing_relevant";
  order: [passage: number, score: number][];
  /** See `exact.ts`; all 0 where words took no part. */
  tiers: Uint8Array;
  /** Ranks count from 1. */
  lexicalRanks: Map<number, number>;
  vectorRanks: Map<number, number>;
}

/** A query's vector and the codes to scan; null on the lexical rung. */
export interface Semantic {
  vector: Float32Array;
  codes: Codes;
}

/** What a tier adds to a lexical score: more than any words do. */
const EXACT = 1000;

/** What ranking needs of every passage: its page, five lengths and norms (see `norm`), the factor of its page. */
export interface PassageFacts {
  pages: Uint32Array;
  lengths: Float64Array;
  norms: Float64Array;
  boosts: Float64Array;
}

/** A query as it is looked up. */
export interface Question {
  /** What is encoded and compared with titles: the query without operators, its words corrected. */
  text: string;
  words: readonly QueryWord[];
  /** The words as they were written. */
  written: readonly QueryWord[];
}

/**
 * Ranks every passage. Hybrid mode without `semantic` answers lexically.
 *
 * @param allowed 1 for each passage that meets the query's demands; null where it has none
 */
export function rank(
  { text, words, written }: Question,
  allowed: Uint8Array | null,
  stem: Stem,
  mode: Mode,
  lookup: Lookup,
  { pages, lengths, norms, boosts }: PassageFacts,
  semantic: Semantic | null,
  { bm25, fusion, floor, light }: Manifest,
): Ranked {
  const { scores, coverage } = score(words, lookup, norms, boosts, bm25);
  // A spelling that was guessed is no evidence.
  const known = written === words ? coverage : score(written, lookup, norms, boosts, bm25).coverage;
  const exact = tiers(text, stem, lookup.postings, lengths, pages, light.words);
  const lexicalScores = supported(scores, pages, fusion.lexical_support).map(
    (value, passage) => value + EXACT * exact[passage]!,
  );
  const lexical = mode === "vector" ? [] : ranking(lexicalScores, fusion.depth, true, allowed);
  const near =
    mode !== "lexical" && semantic && words.length > 0 ? cosines(semantic.vector, semantic.codes) : null;
  // The root, for cosines of good and of middling passages differ by less than the scores of words.
  const boosted = near?.map((cosine, passage) => cosine * Math.sqrt(boosts[passage]!));
  const vectorScores = boosted && supported(boosted, pages, fusion.vector_support);
  const byVector = vectorScores ? ranking(vectorScores, fusion.depth, false, allowed) : [];
  const order: [number, number][] =
    mode === "hybrid" && near
      ? lifted(fuse([lexical, byVector], fusion.k), exact)
      : (near ? byVector : lexical).map((passage) => [passage, (vectorScores ?? lexicalScores)[passage]!]);

  const evidence =
    near && largest(near) + floor.coverage_weight * largest(byVector.map((passage) => known[passage]!));
  const isBelow = evidence !== null && evidence < floor.threshold;
  // Who gives a title or words that all stand in one passage has found it, whatever half a word means.
  const isFound = exact.some((tier) => tier > 0) || largest(coverage) === 1;
  // To a vector any number is like any other.
  const isUnknown = words.every(isCode) && scores.every((score) => score === 0);
  if (order.length === 0 || (isBelow && !isFound) || isUnknown) {
    return {
      status: "nothing_relevant",
      order: [],
      tiers: exact,
      lexicalRanks: new Map(),
      vectorRanks: new Map(),
    };
  }
  const tiersOfOrder = mode === "vector" ? new Uint8Array(pages.length) : exact;
  return {
    status: "ok",
    order,
    tiers: tiersOfOrder,
    lexicalRanks: ranks(lexical),
    vectorRanks: ranks(byVector),
  };
}

/** The hit of a ranked passage and its text. */
export function hit(
  ranked: Ranked,
  index: number,
  [passage, score]: readonly [number, number],
  shown: ShownPassage,
): Hit {
  return {
    rank: index + 1,
    url: shown.anchor ? `${shown.url}#${shown.anchor}` : shown.url,
    page: shown.url,
    anchor: shown.anchor,
    title: shown.title,
    heading_path: shown.headingPath,
    text: shown.blocks.map(({ text }) => text).join("\n\n"),
    score,
    lexical_rank: ranked.lexicalRanks.get(passage) ?? null,
    vector_rank: ranked.vectorRanks.get(passage) ?? null,
  };
}

/** Fused scores with their tier added; what is in a tier was in the lexical ranking. */
function lifted(fused: readonly [number, number][], exact: Uint8Array): [number, number][] {
  return fused
    .map(([passage, score]): [number, number] => [passage, score + exact[passage]!])
    .sort(([left, one], [right, other]) => other - one || left - right);
}

function ranks(passages: readonly number[]): Map<number, number> {
  return new Map(passages.map((passage, index) => [passage, index + 1]));
}

function largest(values: Iterable<number>): number {
  let most = 0;
  for (const value of values) most = Math.max(most, value);
  return most;
}
