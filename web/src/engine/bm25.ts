/** BM25F over five fields; the twin of `builder/bm25.py`, operation by operation. */

import { FIELDS, type PostingList } from "./format.ts";
import type { Bm25Parameters } from "./manifest.ts";
import type { QueryWord } from "./query.ts";

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
  const longer = word.prefix === null ? [] : chosenExpansions(expand(word.prefix));
  return new Set([...word.alternatives.keys(), ...longer]);
}

/**
 * Scores every passage.
 *
 * @param norms five a passage, see `norm`
 * @param boosts the factor of each passage's page
 */
export function score(
  words: readonly QueryWord[],
  lookup: Lookup,
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
    for (const match of matches(word, lookup, count)) {
      rarest = Math.max(rarest, match.weight * match.idf);
      raise(best, match, norms, parameters.k1);
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
    total[passage] = total[passage]! * covering(share, parameters.coverage) * boosts[passage]!;
  }
  return { scores: total, coverage: covered };
}

/** A term that a query word may stand for: its weight there, its idf and its posting list. */
export interface Match {
  term: string;
  weight: number;
  idf: number;
  found: PostingList;
}

/** The terms, of `count` passages, that a word may stand for; in a passage the best one counts. */
export function matches({ alternatives, prefix }: QueryWord, lookup: Lookup, count: number): Match[] {
  const all: Match[] = [];
  for (const [term, weight] of alternatives) {
    const found = lookup.postings(term);
    if (found) all.push({ term, weight, idf: idf(count, found.passages.length), found });
  }
  if (prefix === null) return all;
  const { lists, df } = begun(prefix, lookup, count);
  const rarity = idf(count, df);
  for (const [term, found] of lists) all.push({ term, weight: 1, idf: rarity, found });
  return all;
}

/** The terms that a prefix stands for with their posting lists, and how many of `count` passages have any. */
export function begun(
  prefix: string,
  { postings, expand }: Lookup,
  count: number,
): { lists: [term: string, found: PostingList][]; df: number } {
  const lists: [string, PostingList][] = [];
  const having = new Uint8Array(count);
  for (const term of chosenExpansions(expand(prefix))) {
    const found = postings(term);
    if (!found) continue;
    lists.push([term, found]);
    for (const passage of found.passages) having[passage] = 1;
  }
  let df = 0;
  for (const has of having) df += has;
  return { lists, df };
}

/** tf~ of the passage at a place of a posting list: what its fields add, field by field. */
export function frequency({ passages, frequencies }: PostingList, at: number, norms: Float64Array): number {
  const passage = passages[at]!;
  let tf = frequencies[FIELDS * at]! * norms[FIELDS * passage]!;
  for (let field = 1; field < FIELDS; field++) {
    tf += frequencies[FIELDS * at + field]! * norms[FIELDS * passage + field]!;
  }
  return tf;
}

/** The factor of a passage that covers such a share of the query. */
export function covering(share: number, coverage: number): number {
  return 1 - coverage + coverage * share;
}

/** Raises the scores of the passages of a match to weight * idf * tf~ / (k1 + tf~). */
function raise(scores: Float64Array, { weight, idf, found }: Match, norms: Float64Array, k1: number): void {
  const factor = weight * idf;
  for (let at = 0; at < found.passages.length; at++) {
    const tf = frequency(found, at, norms);
    const passage = found.passages[at]!;
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
