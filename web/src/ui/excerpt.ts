import type { Mark, MarkedBlock } from "../engine/types.ts";

/** A run of text, marked or not. */
export interface Run {
  text: string;
  marked: boolean;
}

/** The part of a passage that a result shows. */
export interface Excerpt {
  kind: "text" | "code";
  runs: Run[];
}

/** Characters of prose in an excerpt: two lines of the dialog, three on a phone. */
export const TEXT_LENGTH = 170;
/** Lines of code in an excerpt; blank ones do not count. */
export const CODE_LINES = 4;
/** Characters of a line of code that are surely seen; a line marked further on begins later. */
const CODE_COLUMNS = 64;

/**
 * The part of a passage that best says why it was found: the stretch, of one block, in which most of the
 * query stands. Of equals prose says more than code, then more marks, then what comes first.
 *
 * @returns null for a passage without text, such as a heading alone.
 */
export function excerpt(blocks: readonly MarkedBlock[]): Excerpt | null {
  let best: { block: MarkedBlock; worth: number } | null = null;
  for (const block of blocks) {
    if (block.text.trim() === "") continue;
    const worth = isCode(block)
      ? densest(block, CODE_LENGTH).worth
      : PROSE_WORTH * (1 + densest(block, TEXT_LENGTH).worth);
    if (!best || worth > best.worth) best = { block, worth };
  }
  if (!best) return null;
  return isCode(best.block) ? codeExcerpt(best.block) : textExcerpt(best.block);
}

const CODE_LENGTH = CODE_LINES * CODE_COLUMNS;
/** Prose explains; code that says no more than this many times as much is not shown for it. */
const PROSE_WORTH = 1.4;

const isCode = ({ kind }: MarkedBlock) => kind === "code" || kind === "signature";

interface Stretch {
  start: number;
  end: number;
  worth: number;
}

/** The marks that fit in `length` units of text and say most. */
function densest({ text, marks }: MarkedBlock, length: number): Stretch {
  let best: Stretch = { start: 0, end: 0, worth: 0 };
  for (const [index, [start, firstEnd]] of marks.entries()) {
    const within = marks.slice(index).filter(([, end]) => end - start <= length);
    const worth = worthOf(within.map(([from, to]) => text.slice(from, to)));
    if (worth > best.worth) best = { start, end: within.at(-1)?.[1] ?? firstEnd, worth };
  }
  return best;
}

/**
 * How much of a query stands in some marked words. Every different word counts, a long one, such as a whole
 * identifier, for more; forms of a word, which begin alike, count once, and repetitions next to nothing.
 */
function worthOf(words: readonly string[]): number {
  const lengths = new Map<string, number>();
  for (const word of words) {
    const beginning = word.slice(0, 4).toLowerCase();
    lengths.set(beginning, Math.max(lengths.get(beginning) ?? 0, Math.min(word.length, 40)));
  }
  let worth = words.length / 100;
  for (const length of lengths.values()) worth += 5 + length;
  return worth;
}

function textExcerpt(block: MarkedBlock): Excerpt {
  const { text, marks } = block;
  const { start, end } = densest(block, TEXT_LENGTH);
  const spare = Math.max(0, TEXT_LENGTH - (end - start));
  // More room before the marks than after would hide where a long sentence goes.
  let from = end + spare >= text.length ? text.length - TEXT_LENGTH : start - Math.floor(spare / 3);
  from = from <= 0 ? 0 : wordStart(text, from, start);
  const to = from + TEXT_LENGTH >= text.length ? text.length : wordEnd(text, from + TEXT_LENGTH, end);
  const shown = runs(text, marks, from, to);
  if (from > 0) shown.unshift({ text: "… ", marked: false });
  if (to < text.length) shown.push({ text: " …", marked: false });
  return { kind: "text", runs: shown };
}

/** The first beginning of a sentence, or else of a word, from `at` up to `limit`. */
function wordStart(text: string, at: number, limit: number): number {
  const slack = text.slice(at, limit);
  const sentence = /[.!?:;]\s+(?=\S)/u.exec(slack.slice(0, 40));
  if (sentence) return at + sentence.index + sentence[0].length;
  const word = /\s+(?=\S|$)/u.exec(slack);
  return word ? at + word.index + word[0].length : whole(text, at);
}

/** The last end of a word up to `at`, but not before `limit`. */
function wordEnd(text: string, at: number, limit: number): number {
  const space = text.slice(limit, at + 1).search(/\s\S*$/u);
  return space < 0 ? whole(text, at) : limit + space;
}

/** Never between the halves of a surrogate pair. */
const whole = (text: string, at: number) => (/[\udc00-\udfff]/.test(text[at] ?? "") ? at - 1 : at);

function codeExcerpt(block: MarkedBlock): Excerpt {
  const lines = linesOf(block);
  const { start } = densest(block, CODE_LENGTH);
  const marked = lines.findLastIndex(({ from }) => from <= start);
  // A line of context above, if there is one; no fewer lines than there is room for.
  const first = Math.max(0, Math.min(marked - 1, lines.length - CODE_LINES));
  const shown = lines.slice(first, first + CODE_LINES);
  const indent = Math.min(...shown.map(({ indent }) => indent));
  const excerpted = shown.flatMap(({ from, to }, index) => {
    const line = codeLine(block, from + indent, to);
    return index === 0 ? line : [{ text: "\n", marked: false }, ...line];
  });
  return { kind: "code", runs: excerpted };
}

/** Where the lines that are not blank begin and end, and how many white characters they begin with. */
function linesOf({ text }: MarkedBlock): { from: number; to: number; indent: number }[] {
  return [...text.matchAll(/[^\n]*\S[^\n]*/g)].map(({ 0: line, index }) => ({
    from: index,
    to: index + line.trimEnd().length,
    indent: line.search(/\S/),
  }));
}

function codeLine({ text, marks }: MarkedBlock, from: number, to: number): Run[] {
  const mark = marks.find(([start, end]) => start >= from && end <= to);
  if (!mark || mark[1] - from <= CODE_COLUMNS) return runs(text, marks, from, to);
  const later = whole(text, mark[0] - CODE_COLUMNS / 4);
  return [{ text: "… ", marked: false }, ...runs(text, marks, later, to)];
}

function runs(text: string, marks: readonly Mark[], from: number, to: number): Run[] {
  const found: Run[] = [];
  let at = from;
  const take = (end: number, marked: boolean) => {
    if (end > at) found.push({ text: text.slice(at, end), marked });
    at = Math.max(at, end);
  };
  for (const [start, end] of marks) {
    if (end <= from || start >= to) continue;
    take(Math.max(start, from), false);
    take(Math.min(end, to), true);
  }
  take(to, false);
  return found;
}
