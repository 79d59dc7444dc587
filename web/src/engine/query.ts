/** A query as words to look up; the twin of `builder/query.py`, which gives the reasons. */

import { isCjk, isTerm, type Lexeme, lexemes, type Part, type Segment, type Stem, symbols } from "./terms.ts";

export const JOINED = 0.95;
export const STEM = 0.85;
export const FOLDED = 0.8;
export const LEAF = 0.7;
export const PART = 0.35;
export const UNFINISHED: Readonly<Record<number, number>> = { 2: 0.1, 3: 0.5 };
export const SHORTEST_PREFIX = 2;
/** Most words of a query that may also be one word. */
export const MOST_JOINED = 3;

/** One thing asked for; of its alternatives (term to weight) the best one counts. */
export interface QueryWord {
  weight: number;
  alternatives: Map<string, number>;
  /** Terms that begin with it also count. */
  prefix: string | null;
  /** A plain word as the query has it. */
  written?: string;
  /** The least share of its weight that it keeps for being perhaps the beginning of another word. */
  sure: number;
}

/** Words (folded) that count for only `weight` of another word. */
export interface LightWords {
  weight: number;
  words: ReadonlySet<string>;
}

/** The words of a query in order, each thing once. */
export function queryWords(query: string, stem: Stem, light: LightWords): QueryWord[] {
  const all = [...lexemes(query, stem)];
  const last = all.at(-1)?.end === query.length ? all.at(-1) : undefined;
  if (last && all.length > 1 && isLetter(query.slice(last.start))) all.pop();
  const words = new Map<string, QueryWord>();
  for (const lexeme of all) {
    for (const found of wordsOf(lexeme, lexeme === last)) {
      const [key = ""] = found.alternatives.keys();
      const word = light.words.has(key)
        ? { ...found, weight: found.weight * light.weight }
        : { ...found, sure: all.length > 1 ? sure(found.prefix) : 1 };
      if (isPlain(lexeme)) word.written = query.slice(lexeme.start, lexeme.end);
      const before = words.get(key);
      // A later mention wins over an earlier one of less weight: it may carry the prefix.
      if (!before || word.weight >= before.weight) words.set(key, word);
    }
  }
  for (const symbol of symbols(query)) {
    if ((all.length === 0 || isTelling(symbol)) && !words.has(symbol)) {
      words.set(symbol, { ...word(1, [[symbol, 1]], false), weight: all.length ? light.weight : 1 });
    }
  }
  if (all.every(isPlain)) {
    const keys = [...words].filter(([, { written }]) => written).map(([key]) => key);
    for (const [at, end, joined] of spans(keys)) {
      const spanned = keys.slice(at, end);
      for (const key of spanned.some((word) => light.words.has(word)) ? [] : spanned) {
        const { alternatives } = words.get(key)!;
        if (!alternatives.has(joined) && isTerm(joined)) alternatives.set(joined, JOINED);
      }
    }
  }
  return [...words.values()];
}

/** The neighbours of a short query, joined, each with the places [at, end) that it spans. */
export function spans(written: readonly string[]): [at: number, end: number, joined: string][] {
  if (written.length > MOST_JOINED || written.some(isCjk)) return [];
  return written.flatMap((_, at) =>
    written
      .slice(at + 1)
      .map((_, more): [number, number, string] => [
        at,
        at + more + 2,
        written.slice(at, at + more + 2).join(""),
      ]),
  );
}

/** Whether a word has a number in it, so that nothing is like it but itself. */
export function isCode({ alternatives }: QueryWord): boolean {
  const [first = ""] = alternatives.keys();
  return /\p{N}/u.test(first);
}

function isTelling(symbol: string): boolean {
  return symbol.length > 1 && !/^[-?]+$/.test(symbol);
}

function isLetter(text: string): boolean {
  return /^\p{L}$/u.test(text) && !isCjk(text);
}

function sure(prefix: string | null): number {
  if (prefix === null || isCjk(prefix)) return 1;
  return UNFINISHED[[...prefix].length] ?? 1;
}

/** Whether a lexeme is a word and no identifier. */
export function isPlain({ whole, segments }: Lexeme): boolean {
  return whole.length === 0 && segments.every(({ spellings }) => spellings.length === 0);
}

/** The terms that a lexeme itself may stand as, without its parts. */
export function formsOf(lexeme: Lexeme): string[] {
  const [first] = wordsOf(lexeme, false);
  return [...first!.alternatives.keys()];
}

function* wordsOf({ whole, segments }: Lexeme, isLast: boolean): Generator<QueryWord> {
  const wholes = whole.map((form): [string, number] => [form, 1]);
  const [first] = segments;
  if (!first) {
    yield word(1, wholes, isLast);
    return;
  }
  if (segments.length === 1) {
    if (/[+#]$/u.test(whole[0] ?? "")) {
      yield word(1, wholes, isLast);
      return;
    }
    const spellings = spellingsOf(first);
    const scaled = wholes.length
      ? spellings.map(([term, weight]): [string, number] => [term, weight * JOINED])
      : spellings;
    yield word(1, [...wholes, ...scaled], isLast);
    yield* partsOf(first, PART, isLast);
    return;
  }
  yield word(1, wholes, isLast);
  for (const segment of segments) {
    const leaf = segment === segments.at(-1);
    yield word(leaf ? LEAF : PART, spellingsOf(segment), isLast && leaf);
    yield* partsOf(segment, PART, isLast && leaf);
  }
}

function spellingsOf({ spellings, parts }: Segment): [string, number][] {
  if (parts.length === 1 && spellings.length === 0) return formsOfPart(parts[0]!);
  return spellings.map((spelling, index) => [spelling, index === 0 ? 1 : JOINED]);
}

function* partsOf({ spellings, parts }: Segment, weight: number, isLast: boolean): Generator<QueryWord> {
  if (spellings.length === 0) return;
  for (const part of parts) yield word(weight, formsOfPart(part), isLast && part === parts.at(-1));
}

/** A part's terms with their weights; the surface comes first, for it is what the word is known by. */
function formsOfPart({ surface, stem, exact }: Part): [string, number][] {
  const folded = exact === surface ? 1 : FOLDED;
  const forms: [string, number][] = [[surface, folded]];
  if (stem !== surface) forms.push([stem, STEM * folded]);
  if (exact !== surface) forms.push([exact, 1]);
  return forms;
}

function word(weight: number, alternatives: [string, number][], isLast: boolean): QueryWord {
  const usable = new Map(alternatives.filter(([term]) => isTerm(term)));
  const [first = ""] = usable.keys();
  return {
    weight,
    alternatives: usable,
    prefix: isLast && ([...first].length >= SHORTEST_PREFIX || isCjk(first)) ? first : null,
    sure: 1,
  };
}
