/** BM25F over five fields; the twin of `builder/bm25.py`, operation by operation. */

import { FIELDS, type PostingList } from "./format.ts";
import type { Bm25Parameters } from "./manifest.ts";
import { PREFIX, type QueryWord } from "./query.ts";

/** Most terms that a prefix stands for: those in most passages first. */
export const EXPANSIONS = 50;

export interface LexicalScores {
  /** By passage; 0 where nothing matched. */
  scores: Float64Array;
  /** The covered share of the query, by passage. */
  coverage: Float64Array;
}

/** What a scorer looks up; everything has been fetched when it is called. */
export interface Lookup {
  postings(term: string): PostingList | undefined;
  /** [term, df] of the terms that begin with a prefix, in term order. */
  expand(prefix: string): [string, number][];
}

/** Inverse document frequency, rounded to float32: two platforms' logarithms may differ in the last bit. */
export function idf(passages: number, df: number): number {
  return Math.fround(Math.log(1 + (passages - df + 0.5) / (df + 0.5)));
}

/** The terms that count for a word. */
export function termsFor(word: QueryWord, expand: Lookup["expand"]): Set<string> {
  const begun = word.prefix === null ? [] : chosenExpansions(expand(word.prefix));
  return new Set([...word.alternatives.keys(), ...begun]);
}

/**
 * Scores every passage.
 *
 * @param norms five a passage, see `norm`
 * @param boosts the factor of each passage's page
 */
export function score(
  words: readonly QueryWord[],
  { postings, expand }: Lookup,
  norms: Float64Array,
  boosts: Float64Array,
  parameters: Bm25Parameters,
): LexicalScores {
  const count = boosts.length;
  const total = new Float64Array(count);
  const covered = new Float64Array(count);
  let asked = 0;
  for (const word of words) {
    const best = new Float64Array(count);
    let rarest = 0;
    for (const [term, weight] of word.alternatives) {
      const found = postings(term);
      if (!found) continue;
      const factor = weight * idf(count, found.passages.length);
      rarest = Math.max(rarest, factor);
      raise(best, found, norms, parameters.k1, factor);
    }
    if (word.prefix !== null) {
      const begun = new Float64Array(count);
      for (const term of chosenExpansions(expand(word.prefix))) {
        const found = postings(term);
        if (found) raise(begun, found, norms, parameters.k1, 1);
      }
      const df = begun.reduce((sum, value) => sum + (value > 0 ? 1 : 0), 0);
      if (df > 0) {
        const factor = PREFIX * idf(count, df);
        rarest = Math.max(rarest, factor);
        for (let passage = 0; passage < count; passage++) {
          best[passage] = Math.max(best[passage]!, factor * begun[passage]!);
        }
      }
    }
    // A word that the site does not know is asked for all the same.
    const importance = word.weight * (rarest || idf(count, 0));
    asked += importance;
    for (let passage = 0; passage < count; passage++) {
      if (best[passage]! > 0) {
        total[passage] = total[passage]! + word.weight * best[passage]!;
        covered[passage] = covered[passage]! + importance;
      }
    }
  }
  for (let passage = 0; passage < count; passage++) {
    const share = asked > 0 ? covered[passage]! / asked : 0;
    covered[passage] = share;
    total[passage] =
      total[passage]! * (1 - parameters.coverage + parameters.coverage * share) * boosts[passage]!;
  }
  return { scores: total, coverage: covered };
}

/** Raises the scores of the passages of a posting list to factor * tf~ / (k1 + tf~). */
function raise(
  scores: Float64Array,
  { passages, frequencies }: PostingList,
  norms: Float64Array,
  k1: number,
  factor: number,
): void {
  for (let index = 0; index < passages.length; index++) {
    const passage = passages[index]!;
    let tf = frequencies[FIELDS * index]! * norms[FIELDS * passage]!;
    for (let field = 1; field < FIELDS; field++) {
      tf += frequencies[FIELDS * index + field]! * norms[FIELDS * passage + field]!;
    }
    scores[passage] = Math.max(scores[passage]!, factor * (tf / (k1 + tf)));
  }
}

/** weight_f / (1 - b_f + b_f * length_f / mean_length_f), five a passage. */
export function norm(lengths: Float64Array, parameters: Bm25Parameters): Float64Array {
  return lengths.map((length, index) => {
    const field = parameters.fields[index % FIELDS]!;
    const relative = field.mean_length > 0 ? length / field.mean_length : 0;
    return field.weight / (1 - field.b + field.b * relative);
  });
}

/** At most EXPANSIONS of [term, df] pairs in term order: the most frequent, ties in term order. */
export function chosenExpansions(candidates: readonly [string, number][]): string[] {
  return [...candidates]
    .sort(([, left], [, right]) => right - left)
    .slice(0, EXPANSIONS)
    .map(([term]) => term);
}
