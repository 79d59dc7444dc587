/** What a query demands: `"these words in order"`, `-without`; the twin of `builder/operators.py`. */

import type { Lookup } from "./bm25.ts";
import type { ShownPassage } from "./format.ts";
import { formsOf } from "./query.ts";
import { keys, lexemes, type Stem } from "./terms.ts";

/** Most passages that are read for a phrase: the best by keywords. */
export const CHECKED = 200;

/** A query: its text without operators, its phrases as exact keys, and what is excluded. */
export interface Asked {
  text: string;
  phrases: string[][];
  /** For every word its lexemes, and for each of them the terms that it may stand as. */
  excluded: string[][][];
}

/**
 * Most words beside the phrases of a query that means its quotes as a demand, and most of a demand that is
 * kept if nothing meets it.
 */
export const PROSE = 4;

const OPERATOR =
  /(?<![^\p{Z}\t-\r(])["“](?<phrase>[^"“”]*)["”](?![\p{L}\p{N}_])|(?<![^\p{Z}\t-\r])(?<without>-(?=\p{L})[^\p{Z}\t-\r"“”]+)/gu;

/** The terms that decide whether a minus is that of a flag. */
export function flags(query: string, stem: Stem): string[] {
  return Array.from(query.matchAll(OPERATOR), ({ groups }) => groups!.without)
    .filter((word) => word !== undefined)
    .map((word) => flag(word, stem));
}

/** The parts of a query; without operators its text is the query. */
export function read(query: string, stem: Stem, isTerm: (term: string) => boolean): Asked {
  const asked: Asked = { text: "", phrases: [], excluded: [] };
  let beside = "";
  let end = 0;
  for (const { 0: whole, index, groups } of query.matchAll(OPERATOR)) {
    const { phrase, without } = groups!;
    if (without !== undefined && isTerm(flag(without, stem))) continue;
    asked.text += query.slice(end, index);
    beside += query.slice(end, index);
    if (without === undefined) {
      asked.text += ` ${phrase} `;
      const found = keys(phrase!, stem).map(([, exact]) => exact);
      if (found.length > 0) asked.phrases.push(found);
    } else {
      asked.text += " ";
      asked.excluded.push([...lexemes(without.slice(1), stem)].map(formsOf));
    }
    end = index + whole.length;
  }
  asked.text += query.slice(end);
  if (keys(beside + query.slice(end), stem).length > PROSE) asked.phrases = [];
  return asked;
}

/** The term that a flag would be; empty where the script has none. */
function flag(word: string, stem: Stem): string {
  return [...lexemes(word, stem)].flatMap(({ whole }) => whole)[0] ?? "";
}

/** The terms that its demands look up. */
export function demanded({ phrases, excluded }: Asked): string[] {
  return [...phrases.flat(), ...excluded.flat(2)];
}

/** 1 for each passage that has no excluded word and every word of the phrases. */
export function allowed({ phrases, excluded }: Asked, lookup: Lookup, count: number): Uint8Array {
  const mask = new Uint8Array(count).fill(1);
  const keep = (word: string[][], wanted: 0 | 1) => {
    const having = havingOf(word, lookup, count);
    for (let passage = 0; passage < count; passage++) if (having[passage] !== wanted) mask[passage] = 0;
  };
  for (const word of excluded) keep(word, 0);
  for (const phrase of phrases)
    keep(
      phrase.map((key) => [key]),
      1,
    );
  return mask;
}

/** 1 for each passage that has one of the terms of every lexeme. */
function havingOf(word: string[][], { postings }: Lookup, count: number): Uint8Array {
  const every = new Uint8Array(count).fill(1);
  for (const terms of word) {
    const some = new Uint8Array(count);
    for (const term of terms) for (const passage of postings(term)?.passages ?? []) some[passage] = 1;
    for (let passage = 0; passage < count; passage++) every[passage]! &= some[passage]!;
  }
  return every;
}

/** Whether phrases that stand nowhere are to be ordinary words. */
export function isLong({ phrases }: Asked): boolean {
  return phrases.flat().length > PROSE;
}

/** Whether each phrase stands in the title, a heading or a block. */
export function stand(phrases: readonly string[][], shown: ShownPassage, stem: Stem): boolean {
  const written = [shown.title, ...shown.headingPath, ...shown.blocks.map(({ text }) => text)].map((text) =>
    keys(text, stem),
  );
  return phrases.every((phrase) => written.some((each) => follows(phrase, each)));
}

function follows(phrase: readonly string[], written: readonly (readonly string[])[]): boolean {
  return written.some((_, at) => phrase.every((key, offset) => written[at + offset]?.includes(key)));
}
