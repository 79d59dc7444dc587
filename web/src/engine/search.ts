/** A query answered from what has been fetched; the twin of `builder/search.py`. */

import { type LexicalScores, type Lookup, score } from "./bm25.ts";
import { tiers } from "./exact.ts";
import { judge, type Verdict } from "./floor.ts";
import type { ShownPassage } from "./format.ts";
import { fuse, ranking, supported } from "./fusion.ts";
import type { Manifest } from "./manifest.ts";
import { isCode, type QueryWord } from "./query.ts";
import type { Stem } from "./terms.ts";
import type { Hit, Mode, Reason, Rung } from "./types.ts";
import { type Codes, cosines } from "./vectors.ts";

/**
 * The passages of an answer, best first, before their texts are there.
 *
 * The scores behind it, by passage: of the words, and with their page's support; the cosines, and with their
 * page's boost and support. Null for a ranking that took no part.
 */
export interface Ranked {
  /** Empty where nothing is relevant. */
  order: [passage: number, score: number][];
  /** Why nothing is relevant. */
  reason: Reason | null;
  verdict: Verdict;
  /** See `exact.ts`; all 0 where words took no part. */
  tiers: Uint8Array;
  /** Ranks count from 1. */
  lexicalRanks: Map<number, number>;
  vectorRanks: Map<number, number>;
  words: LexicalScores | null;
  byWords: Float64Array | null;
  cosines: Float64Array | null;
  byVector: Float64Array | null;
}

/** A query's vector, of which rung, and the codes to scan; null on the lexical rung. */
export interface Semantic {
  rung: Exclude<Rung, "lexical">;
  vector: Float32Array;
  codes: Codes;
}

/** What a tier adds to a lexical score: more than any words do. */
export const EXACT = 1000;

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
  const scored = score(words, lookup, norms, boosts, bm25);
  // A spelling that was guessed is no evidence.
  const known = written === words ? scored.coverage : score(written, lookup, norms, boosts, bm25).coverage;
  const exact = tiers(text, stem, lookup.postings, lengths, pages, light.words);
  const wordScores = supported(scored.scores, pages, fusion.lexical_support);
  const lexicalScores = wordScores.map((value, passage) => value + EXACT * exact[passage]!);
  const lexical = mode === "vector" ? [] : ranking(lexicalScores, fusion.depth, true, allowed);
  const isMeant = mode !== "lexical" && semantic && words.length > 0 && semantic.vector.some(Boolean);
  const near = isMeant ? cosines(semantic.vector, semantic.codes) : null;
  // The root, for cosines of good and of middling passages differ by less than the scores of words.
  const boosted = near?.map((cosine, passage) => cosine * Math.sqrt(boosts[passage]!));
  const vectorScores = boosted ? supported(boosted, pages, fusion.vector_support) : null;
  const byVector = vectorScores ? ranking(vectorScores, fusion.depth, false, allowed) : [];
  const order: [number, number][] =
    mode === "hybrid" && near
      ? lifted(fuse([lexical, byVector], fusion.k), exact)
      : (near ? byVector : lexical).map((passage) => [passage, (vectorScores ?? lexicalScores)[passage]!]);

  const verdict = judge(
    floor,
    near && [largest(near), largest(byVector.map((passage) => known[passage]!))],
    exact.some((tier) => tier > 0),
    largest(scored.coverage) === 1,
  );
  // To a vector any number is like any other.
  const isUnknown = words.every(isCode) && scored.scores.every((score) => score === 0);
  let reason: Reason | null = null;
  if (order.length === 0) reason = "no_match";
  else if (verdict.reason === "below") reason = "floor";
  else if (isUnknown) reason = "unknown_number";
  const isByWords = mode !== "vector";
  return {
    order: reason ? [] : order,
    reason,
    verdict,
    tiers: isByWords ? exact : new Uint8Array(pages.length),
    lexicalRanks: ranks(lexical),
    vectorRanks: ranks(byVector),
    words: isByWords ? scored : null,
    byWords: isByWords ? wordScores : null,
    cosines: near,
    byVector: vectorScores,
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
