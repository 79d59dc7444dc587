/** Which passages carry the query itself as title, heading or name; the twin of `builder/exact.py`. */

import type { Lookup } from "./bm25.ts";
import { FIELDS, keptLength, type PostingList } from "./format.ts";
import { isPlain, spans } from "./query.ts";
import { keys, lexemes, type Stem } from "./terms.ts";

/** Tier of the first passage of a page that has the query as its title. */
export const TITLE = 3;
/** Tier of a passage that has the query as its own heading. */
export const HEADING = 2;
/** Tier of a passage in which the query, an identifier, stands anywhere. */
export const NAME = 1;
/** A heading or name that more passages have says nothing of what is sought. */
export const MOST = 20;

/** A field's number, and the bit that says that a term is a key of it. */
const FIELD = { title: { at: 0, bit: 1 }, heading: { at: 2, bit: 2 } };

/**
 * The tier of each passage, 0 for most.
 *
 * @param lengths five a passage, as the index keeps them
 */
export function tiers(
  query: string,
  stem: Stem,
  postings: Lookup["postings"],
  lengths: Float64Array,
  pages: Uint32Array,
  light: ReadonlySet<string>,
): Uint8Array {
  const found = new Uint8Array(pages.length);
  const forms = keys(query, stem).map(([, exact]) => exact);
  if (forms.length === 0) return found;
  const named = isName(query, stem) ? postings(forms[0]!) : undefined;
  if (named && named.passages.length <= MOST) for (const passage of named.passages) found[passage] = NAME;
  const joined = spans(forms).filter(([at, end]) => end - at === forms.length);
  const written = [forms, ...joined.map(([, , form]) => [form])];
  const having = (field: Field) => written.flatMap((each) => carriers(each, light, field, postings, lengths));
  const headings = having(FIELD.heading);
  if (headings.length <= MOST) for (const passage of headings) found[passage] = HEADING;
  for (const passage of having(FIELD.title)) {
    if (pages[passage] !== pages[passage - 1]) found[passage] = TITLE;
  }
  return found;
}

/**
 * An order of [passage, score] in which, of each tier, come first those named just as the query is written.
 *
 * @param named a passage's title and own heading
 */
export function verbatimFirst(
  query: string,
  order: readonly [number, number][],
  tiers: Uint8Array,
  named: (passage: number) => readonly string[],
): [number, number][] {
  const isOther = (passage: number) => Number(tiers[passage]! > 0 && !isVerbatim(query, named(passage)));
  return [...order].sort(([left], [right]) => tiers[right]! - tiers[left]! || isOther(left) - isOther(right));
}

/** Whether one of a passage's names is the query as it is written. */
export function isVerbatim(query: string, names: readonly string[]): boolean {
  return names.includes(query.trim());
}

type Field = (typeof FIELD)[keyof typeof FIELD];

/** Whether a query is one identifier. */
function isName(query: string, stem: Stem): boolean {
  const every = [...lexemes(query, stem)];
  return every.length === 1 && !isPlain(every[0]!);
}

/** The passages whose field has every form as a key, light ones if it has them, and nothing else. */
function carriers(
  forms: readonly string[],
  light: ReadonlySet<string>,
  { at, bit }: Field,
  postings: Lookup["postings"],
  lengths: Float64Array,
): number[] {
  const isHeavy = (form: string) => !light.has(form);
  const heavy = forms.some(isHeavy) ? forms.filter(isHeavy) : forms;
  const [first, ...others] = [...new Set(heavy)].map((form) => having(postings(form), bit));
  const optional = [...new Set(forms)]
    .filter((form) => !heavy.includes(form))
    .map((form) => having(postings(form), bit));
  return [...first!].filter((passage) => {
    if (!others.every((those) => those.has(passage))) return false;
    const beside = optional.filter((those) => those.has(passage)).length;
    return lengths[FIELDS * passage + at] === keptLength(heavy.length + beside);
  });
}

function having(list: PostingList | undefined, bit: number): Set<number> {
  return new Set([...(list?.passages ?? [])].filter((_, index) => (list!.keyed[index]! & bit) > 0));
}
