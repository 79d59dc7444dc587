/** Where in a passage the words of a query stand. */

import { type Lookup, termsFor } from "./bm25.ts";
import type { QueryWord } from "./query.ts";
import { lexemes, type Stem, termsOf } from "./terms.ts";
import type { Mark } from "./types.ts";

/** A word in more than this share of the passages is not marked, unless the query has no other. */
const COMMON = 0.3;

/** The terms worth marking: all that counted, but for words that stand everywhere. */
export function markedTerms(words: readonly QueryWord[], lookup: Lookup, passages: number): Set<string> {
  const rare = new Set<string>();
  const all = new Set<string>();
  for (const word of words) {
    for (const term of termsFor(word, lookup.expand)) {
      // Of `e-mail` the letter is no word that anybody looks for.
      if (word.weight < 1 && term.length === 1) continue;
      const df = lookup.postings(term)?.passages.length ?? 0;
      if (df > 0) (df <= COMMON * passages ? rare : all).add(term);
    }
  }
  return rare.size > 0 ? rare : all;
}

/** The ranges of a text whose lexemes give one of `marked`. */
export function marks(text: string, marked: ReadonlySet<string>, stem: Stem): Mark[] {
  const found: Mark[] = [];
  for (const lexeme of lexemes(text, stem)) {
    if (!termsOf(lexeme).some((term) => marked.has(term))) continue;
    const before = found.at(-1);
    // Pairs of characters overlap.
    if (before && lexeme.start < before[1]) before[1] = lexeme.end;
    else found.push([lexeme.start, lexeme.end]);
  }
  return found;
}
