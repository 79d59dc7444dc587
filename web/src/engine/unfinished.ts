/** What a last word counts that may be the beginning of another; the twin of `builder/unfinished.py`. */

import { begun, type Lookup } from "./bm25.ts";
import type { QueryWord } from "./query.ts";

/** The words of a query; those that may go on have lost weight. */
export function weighed(words: readonly QueryWord[], lookup: Lookup, count: number): QueryWord[] {
  return words.map((word) =>
    word.sure === 1 || word.prefix === null
      ? word
      : { ...word, weight: word.weight * share(word.sure, word.prefix, lookup, count) },
  );
}

function share(sure: number, prefix: string, lookup: Lookup, count: number): number {
  const itself = lookup.postings(prefix);
  if (!itself) return sure;
  return Math.max(sure, Math.sqrt(itself.passages.length / begun(prefix, lookup, count).df));
}
