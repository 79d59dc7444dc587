/** Why a hit stands where it stands, in the numbers that ranked it; the twin of `builder/explain.py`. */

import { covering, frequency, type Lookup, type Match, matches } from "./bm25.ts";
import { HEADING, isVerbatim, NAME, TITLE } from "./exact.ts";
import { FIELDS } from "./format.ts";
import type { Manifest } from "./manifest.ts";
import type { QueryWord } from "./query.ts";
import { EXACT, type PassageFacts, type Question, type Ranked } from "./search.ts";
import type {
  ExactPart,
  FieldPart,
  FusionPart,
  HitExplanation,
  LexicalPart,
  ResultExplanation,
  TermPart,
  VectorPart,
} from "./types.ts";

const FIELD_NAMES = ["title", "path", "heading", "body", "code"] as const;
const TIERS = new Map<number, ExactPart["tier"]>([
  [TITLE, "title"],
  [HEADING, "heading"],
  [NAME, "name"],
]);

/** What holds for the whole of an answer. */
export function ofResult(
  { words, written }: Question,
  { verdict, reason }: Ranked,
  { floor }: Manifest,
): ResultExplanation {
  const corrections: ResultExplanation["corrections"] = {};
  words.forEach((word, at) => {
    const before = written[at]!;
    if (word === before) return;
    const terms = [...word.alternatives.keys()];
    corrections[name(word)] = terms.filter((term) => !before.alternatives.has(term));
  });
  return {
    words: words.map((word) => ({
      word: name(word),
      weight: word.weight,
      terms: Object.fromEntries(word.alternatives),
      prefix: word.prefix,
    })),
    corrections,
    floor: {
      applied: verdict.reason === "below",
      ...verdict,
      coverage_weight: floor.coverage_weight,
      threshold: floor.threshold,
    },
    nothing_relevant: reason,
  };
}

/**
 * Why each of the passages stands where it stands.
 *
 * @param query without its operators, as written
 * @param named a passage's title and own heading
 */
export function ofHits(
  query: string,
  words: readonly QueryWord[],
  ranked: Ranked,
  passages: readonly number[],
  named: (passage: number) => readonly string[],
  lookup: Lookup,
  facts: PassageFacts,
  manifest: Manifest,
): HitExplanation[] {
  const found = words.map((word) => ({ word, those: matches(word, lookup, facts.boosts.length) }));
  return passages.map((passage) => {
    const tier = TIERS.get(ranked.tiers[passage]!);
    return {
      boost: facts.boosts[passage]!,
      exact: tier ? { tier, verbatim: isVerbatim(query, named(passage)) } : null,
      lexical: lexical(ranked, found, passage, facts, manifest),
      vector: vector(ranked, passage, facts),
      fusion: fusion(ranked, passage, manifest),
    };
  });
}

/** A word of the query as it is shown: as it was written, or as it is looked up. */
function name({ written, alternatives }: QueryWord): string {
  return written || ([...alternatives.keys()][0] ?? "");
}

function lexical(
  { words, byWords, lexicalRanks, tiers }: Ranked,
  found: readonly { word: QueryWord; those: readonly Match[] }[],
  passage: number,
  { norms, boosts }: PassageFacts,
  { bm25 }: Manifest,
): LexicalPart | null {
  if (!words || !byWords) return null;
  const share = words.coverage[passage]!;
  const scale = covering(share, bm25.coverage) * boosts[passage]!;
  const terms: TermPart[] = [];
  const missing: string[] = [];
  for (const { word, those } of found) {
    const part = term(word, those, passage, norms, bm25.k1, scale);
    if (part) terms.push(part);
    else missing.push(name(word));
  }
  const score = words.scores[passage]!;
  const exact = EXACT * tiers[passage]!;
  return {
    rank: lexicalRanks.get(passage) ?? null,
    score: byWords[passage]! + exact,
    bm25: score,
    support: byWords[passage]! - score,
    exact,
    coverage: share,
    terms,
    missing,
  };
}

/**
 * The best of a word's matches in a passage, null if it has none.
 *
 * @param scale the passage's own factor
 */
function term(
  word: QueryWord,
  those: readonly Match[],
  passage: number,
  norms: Float64Array,
  k1: number,
  scale: number,
): TermPart | null {
  let best = 0;
  let chosen: { match: Match; at: number; tf: number } | null = null;
  for (const match of those) {
    const at = match.found.passages.indexOf(passage);
    if (at < 0) continue;
    const tf = frequency(match.found, at, norms);
    const value = match.weight * match.idf * (tf / (k1 + tf));
    if (value > best) [best, chosen] = [value, { match, at, tf }];
  }
  if (!chosen) return null;
  const { match, at, tf } = chosen;
  const contribution = word.weight * best * scale;
  const fields: FieldPart[] = [];
  FIELD_NAMES.forEach((field, column) => {
    const frequency = match.found.frequencies[FIELDS * at + column]!;
    const weight = norms[FIELDS * passage + column]!;
    if (frequency > 0) {
      fields.push({ field, frequency, weight, contribution: contribution * ((frequency * weight) / tf) });
    }
  });
  return {
    word: name(word),
    term: match.term,
    weight: word.weight * match.weight,
    idf: match.idf,
    contribution,
    fields,
  };
}

function vector(
  { cosines, byVector, vectorRanks }: Ranked,
  passage: number,
  { boosts }: PassageFacts,
): VectorPart | null {
  if (!cosines || !byVector) return null;
  const cosine = cosines[passage]!;
  const score = byVector[passage]!;
  const support = score - cosine * Math.sqrt(boosts[passage]!);
  return { rank: vectorRanks.get(passage) ?? null, score, cosine, support };
}

function fusion(
  { words, cosines, lexicalRanks, vectorRanks, tiers }: Ranked,
  passage: number,
  { fusion: { k } }: Manifest,
): FusionPart | null {
  if (!words || !cosines) return null;
  const added = (rank: number | undefined) => (rank === undefined ? 0 : 1 / (k + rank));
  return {
    lexical: added(lexicalRanks.get(passage)),
    vector: added(vectorRanks.get(passage)),
    exact: tiers[passage]!,
  };
}
