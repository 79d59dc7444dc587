/**
 * Text to terms; the twin of `builder/terms.py`, which holds the specification. Both are held together
 * by `tests/contract/cases/terms.json` and a sweep over every code point.
 */

/** Forms longer than this many code points are no terms. */
export const LONGEST = 64;

export type Stem = (word: string) => string;

/** A part of a unit: its folded surface, its folded stem, and its exact form (the same where there is none). */
export interface Part {
  surface: string;
  stem: string;
  exact: string;
}

/** What stands between dots: how it is spelt, as written and joined, and its parts in order. */
export interface Segment {
  spellings: string[];
  parts: Part[];
}

/** A word or identifier of a text at [start, end) UTF-16 units. */
export interface Lexeme {
  start: number;
  end: number;
  /** Forms that stand for all of it and for no segment alone. */
  whole: string[];
  segments: Segment[];
}

const WORD = "[\\p{L}\\p{M}\\p{N}_]+";
const LEXEME = new RegExp(
  "(?:(?<![\\p{L}\\p{M}\\p{N}_\\-@.$])(?:--?|[@.$]))?" +
    `${WORD}(?:(?:[\\-'’.]|::)${WORD})*` +
    "(?:\\+\\+(?!\\+)|(?<=(?<![\\p{L}\\p{M}\\p{N}_])\\p{L}{1,2})#(?![\\p{L}\\p{M}\\p{N}_]))?",
  "gu",
);
const SYMBOLS = /(?<![^ \t\n])[!#$%&*+\-/:<=>?@\\^|~]{1,3}(?![^ \t\n])/gu;
const CJK =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\u30fc\\uff70\\uff9e\\uff9f";
const RUNS = new RegExp(`[${CJK}][${CJK}\\p{M}]*|[^${CJK}]+`, "gu");
const CHARACTERS = new RegExp(
  `(?:[\\u1100-\\u115f]+[\\u1160-\\u11a7]*[\\u11a8-\\u11ff]*|[${CJK}])[\\p{M}\\uff9e\\uff9f]*`,
  "gu",
);
const BEGINS_CJK = new RegExp(`^[${CJK}]`, "u");
const ANY_CJK = new RegExp(`[${CJK}]`, "u");
const JOINTS = /^[-'’.:]+/u;
const PREFIX = /^(?:--?|[@.$])/u;
const SUFFIX = /(?:\+\+|#)$/u;
const SEGMENTS = /\.|::/u;
const POSSESSIVE = /['’][sS](?![\p{L}\p{M}\p{N}_])/gu;
const ELIDED =
  "c d j l m n s t v gl qu jusqu lorsqu puisqu quoiqu un all dall dell nell sull quell quest bell buon sant " +
  "nessun alcun ciascun tutt mezz senz anch com cos dov quand";
const ELISION = new RegExp(
  `(?<![\\p{L}\\p{M}\\p{N}_'’])(?:${ELIDED.split(" ").map(inEitherCase).join("|")})['’]` +
    "(?=[aeiouyhàáâäæèéêëìíîïòóôöœùúûüAEIOUYHÀÁÂÄÆÈÉÊËÌÍÎÏÒÓÔÖŒÙÚÛÜ])",
  "gu",
);
const APOSTROPHE = /['’]/gu;
const NUMBERS = /^[vV]?\p{N}+(?:\.\p{N}+)+$/u;
const CASE = /(?<=\p{Ll})(?=\p{Lu})|(?<=\p{N})(?=\p{Lu}[\p{Lu}\p{Ll}])|(?<=\p{Lu})(?=\p{Lu}\p{Ll}{2})/u;
const UNITS = /[-_]+/u;
const LETTERS = /^[\p{L}\p{M}]{3,}$/u;
const MARKS = /[\u0300-\u036f]/gu;
const LETTERS_FOLDED: Record<string, string> = {
  ß: "ss",
  œ: "oe",
  æ: "ae",
  ø: "o",
  ł: "l",
  đ: "d",
  ς: "σ",
  ı: "i",
};

function inEitherCase(word: string): string {
  return Array.from(word, (letter) => `[${letter}${letter.toUpperCase()}]`).join("");
}

/** The folded form of a word (rule 4). */
export function fold(text: string): string {
  return lowered(text)
    .normalize("NFD")
    .replace(MARKS, "")
    .normalize("NFC")
    .replace(/[ßœæøłđςı]/gu, (letter) => LETTERS_FOLDED[letter]!);
}

/** Whether a term begins with a character of a script without spaces. */
export function isCjk(term: string): boolean {
  return BEGINS_CJK.test(term);
}

/** The lexemes of a text in order (rules 1 to 5); those of a run overlap. */
export function* lexemes(text: string, stem: Stem): Generator<Lexeme> {
  for (const match of text.matchAll(LEXEME)) {
    for (const [start, lexeme] of divided(match.index, match[0])) {
      yield { start, end: start + lexeme.length, ...forms(lexeme, stem) };
    }
  }
}

/** A chain at the changes of script (rule 1). */
function* divided(start: number, chain: string): Generator<[start: number, lexeme: string]> {
  if (!ANY_CJK.test(chain)) {
    yield [start, chain];
    return;
  }
  for (const { 0: run, index } of chain.matchAll(RUNS)) {
    if (isCjk(run)) {
      const characters = Array.from(run.matchAll(CHARACTERS), ([character]) => character);
      let at = start + index;
      for (let first = 0; first < Math.max(1, characters.length - 1); first++) {
        yield [at, characters.slice(first, first + 2).join("")];
        at += characters[first]!.length;
      }
    } else {
      // Within a chain a joint is no symbol.
      const inner = index > 0 ? run.replace(JOINTS, "") : run;
      const from = start + index + run.length - inner.length;
      for (const match of inner.matchAll(LEXEME)) yield [from + match.index, match[0]];
    }
  }
}

/** Every term of a text, a form as often as it occurs, each form once a lexeme. */
export function* terms(text: string, stem: Stem): Generator<string> {
  for (const lexeme of lexemes(text, stem)) yield* termsOf(lexeme);
  yield* symbols(text);
}

/** The signs that stand by themselves (rule 6). */
export function symbols(text: string): string[] {
  return Array.from(text.matchAll(SYMBOLS), ([found]) => found);
}

/** The key of each lexeme: one term that all its spellings share (`includerouter`), and its exact form. */
export function keys(text: string, stem: Stem): [key: string, exact: string][] {
  return Array.from(lexemes(text, stem), ({ whole: [form], segments: [segment] }) => {
    const key = form ?? segment!.spellings.at(-1);
    if (key !== undefined) return [key, key];
    const { surface, exact } = segment!.parts[0]!;
    return [surface, exact];
  });
}

/** The terms of one lexeme, each once. */
export function termsOf({ whole, segments }: Lexeme): string[] {
  const found = new Set(whole);
  for (const { spellings, parts } of segments) {
    for (const spelling of spellings) found.add(spelling);
    for (const { surface, stem, exact } of parts) found.add(surface).add(stem).add(exact);
  }
  return [...found].filter(isTerm);
}

/** Whether a form is kept: not empty and not too long. */
export function isTerm(form: string): boolean {
  return form !== "" && (form.length <= LONGEST || [...form].length <= LONGEST);
}

/** NFKC in lower case by code point: the lower case of a whole word would turn a final Σ into ς. */
function lowered(text: string): string {
  return Array.from(text.normalize("NFKC"), (character) => character.toLowerCase()).join("");
}

function forms(lexeme: string, stem: Stem): { whole: string[]; segments: Segment[] } {
  const prefix = PREFIX.exec(lexeme)?.[0].length ?? 0;
  const suffix = SUFFIX.exec(lexeme)?.[0].length ?? 0;
  const bare = lexeme
    .slice(prefix, lexeme.length - suffix)
    .replace(POSSESSIVE, "")
    .replace(ELISION, "")
    .replace(APOSTROPHE, "");
  const written = bare.split(SEGMENTS).filter((segment) => segment !== "");
  const dotted = written.map(fold).join(".");
  const whole = prefix || suffix ? [fold(lexeme)] : [];
  if (NUMBERS.test(bare)) return { whole: [...whole, dotted.replace(/^v/u, "")], segments: [] };
  if (written.length > 1) whole.push(dotted);
  return { whole, segments: written.map((segment) => segmentOf(segment, stem)) };
}

function segmentOf(written: string, stem: Stem): Segment {
  const exact = fold(written);
  const joined = exact.replace(/[-_]/gu, "");
  const parts = written
    .split(UNITS)
    .flatMap((unit) => unit.split(CASE))
    .filter((part) => part !== "")
    .map((part) => ({ surface: fold(part), stem: stemOf(part, stem), exact: exactOf(part) }));
  if (parts.length === 1 && exact === parts[0]!.surface) return { spellings: [], parts };
  return { spellings: joined !== "" && joined !== exact ? [exact, joined] : [exact], parts };
}

function stemOf(part: string, stem: Stem): string {
  // Stemmed before folding: the stemmers know their language's accents.
  return fold(LETTERS.test(part) ? stem(lowered(part)) : part);
}

function exactOf(part: string): string {
  // Where in a word a sigma stands is no matter of spelling.
  return lowered(part).normalize("NFC").replaceAll("ς", "σ");
}
