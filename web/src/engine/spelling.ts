/** Words that the site does not have, as it may write them; the twin of `builder/spelling.py`. */

import type { Lookup } from "./bm25.ts";
import type { QueryWord } from "./query.ts";
import { isCjk, lexemes, type Stem } from "./terms.ts";

export const WEIGHT = 0.5;
export const SHORTEST = 4;
export const LONG = 8;
export const MOST_WORDS = 2;
export const MOST_TERMS = 5;
export const LONGEST = 24;

/** A contraction is not a word that somebody misspelt. */
const APOSTROPHE = /['’]/;
const LETTERS = /^[\p{L}\p{M}]+$/u;
const ASTRAL = /[\u{10000}-\u{10ffff}]/u;

/** Whether a dictionary holds such a term: letters alone, all in Unicode's first plane. */
export function isCorrectable(term: string): boolean {
  return term.length <= LONGEST && LETTERS.test(term) && !ASTRAL.test(term) && !isCjk(term);
}

/** The places of the words that may be corrected. */
export function misspelt(words: readonly QueryWord[], { postings, expand }: Lookup): number[] {
  return [...words.keys()]
    .filter((at) => {
      const { written, weight, alternatives, prefix } = words[at]!;
      const [first = ""] = alternatives.keys();
      return (
        written &&
        // A light word that a site does not use is none that somebody misspelt.
        weight === 1 &&
        !APOSTROPHE.test(written) &&
        first.length >= SHORTEST &&
        isCorrectable(first) &&
        ![...alternatives.keys()].some((term) => postings(term)) &&
        !(prefix !== null && expand(prefix).length > 0)
      );
    })
    .slice(0, MOST_WORDS);
}

/**
 * The words with their other spellings, and the best spelling of each as written that has one.
 *
 * @param dictionary [term, df] in term order
 */
export function corrected(
  words: readonly QueryWord[],
  places: readonly number[],
  dictionary: readonly [string, number][],
): { words: QueryWord[]; best: Map<string, string> } {
  const found = [...words];
  const best = new Map<string, string>();
  for (const at of places) {
    const word = words[at]!;
    const [first] = word.alternatives.keys();
    const spellings = similar(first!, dictionary);
    if (spellings.length === 0) continue;
    const alternatives = new Map(word.alternatives);
    for (const spelling of spellings) alternatives.set(spelling, WEIGHT);
    found[at] = { ...word, alternatives };
    best.set(word.written!, spellings[0]!);
  }
  return { words: found, best };
}

/** A text with the best spelling of each lexeme that has one. */
export function respelt(text: string, best: ReadonlyMap<string, string>, stem: Stem): string {
  return [...lexemes(text, stem)].reduceRight((before, { start, end }) => {
    const spelling = best.get(text.slice(start, end));
    return spelling === undefined ? before : before.slice(0, start) + spelling + before.slice(end);
  }, text);
}

/** The terms of a dictionary with the fewest edits: those of the same letters first, then the most frequent. */
export function similar(word: string, dictionary: readonly [string, number][]): string[] {
  let limit = word.length >= LONG ? 2 : 1;
  let nearest: [string, number][] = [];
  for (const entry of dictionary) {
    if (Math.abs(entry[0].length - word.length) > limit) continue;
    const edits = distance(word, entry[0], limit);
    // Two edits of which one is the first letter make another word more often than they mend one.
    if (edits === 2 && entry[0][0] !== word[0]) continue;
    if (edits < limit) [limit, nearest] = [edits, []];
    if (edits === limit) nearest.push(entry);
  }
  const letters = sorted(word);
  const isOther = ([term]: [string, number]) => Number(sorted(term) !== letters);
  return nearest
    .sort((left, right) => isOther(left) - isOther(right) || right[1] - left[1])
    .slice(0, MOST_TERMS)
    .map(([term]) => term);
}

function sorted(term: string): string {
  return [...term].sort().join("");
}

/** Rows of the table of edits, used again: a query compares a word with tens of thousands. */
const ROWS = [new Uint8Array(LONGEST + 1), new Uint8Array(LONGEST + 1), new Uint8Array(LONGEST + 1)];

/** Edits between two words of at most LONGEST letters, a swap of neighbours being one; limit + 1 if more. */
export function distance(one: string, other: string, limit: number): number {
  let [twoBefore, before, row] = ROWS as [Uint8Array, Uint8Array, Uint8Array];
  for (let place = 0; place <= other.length; place++) row[place] = place;
  for (let at = 1; at <= one.length; at++) {
    [twoBefore, before, row] = [before, row, twoBefore];
    const letter = one.charCodeAt(at - 1);
    let least = at;
    row[0] = at;
    for (let place = 1; place <= other.length; place++) {
      const another = other.charCodeAt(place - 1);
      let edits = before[place - 1]! + (letter === another ? 0 : 1);
      if (before[place]! < edits) edits = before[place]! + 1;
      if (row[place - 1]! < edits) edits = row[place - 1]! + 1;
      if (
        at > 1 &&
        place > 1 &&
        letter === other.charCodeAt(place - 2) &&
        one.charCodeAt(at - 2) === another &&
        twoBefore[place - 2]! < edits
      ) {
        edits = twoBefore[place - 2]! + 1;
      }
      row[place] = edits;
      if (edits < least) least = edits;
    }
    if (least > limit) return limit + 1;
  }
  return Math.min(row[other.length]!, limit + 1);
}
