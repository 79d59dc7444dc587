/** Which passages carry the query itself as their title or heading; the twin of `builder/exact.py`. */

import type { Lookup } from "./bm25.ts";
import { FIELDS, keptLength, type PostingList } from "./format.ts";
import { keys, type Stem } from "./terms.ts";

/** Tier of the first passage of a page that has the query as its title. */
export const TITLE = 2;
/** Tier of a passage that has the query as its own heading. */
export const HEADING = 1;
/** A heading that more passages have says nothing of what is sought. */
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
): Uint8Array {
  const found = new Uint8Array(pages.length);
  const forms = keys(query, stem);
  if (forms.length === 0) return found;
  const length = keptLength(forms.length);
  const lists = [...new Set(forms)].map(postings);
  const headings = carriers(lists, FIELD.heading, lengths, length);
  if (headings.length <= MOST) for (const passage of headings) found[passage] = HEADING;
  for (const passage of carriers(lists, FIELD.title, lengths, length)) {
    if (pages[passage] !== pages[passage - 1]) found[passage] = TITLE;
  }
  return found;
}

/** The passages whose field has every term as a key, and the length. */
function carriers(
  lists: readonly (PostingList | undefined)[],
  { at, bit }: { at: number; bit: number },
  lengths: Float64Array,
  length: number,
): number[] {
  const [first, ...others] = lists;
  if (!first || others.some((list) => !list)) return [];
  let passages = having(first, bit).filter((passage) => lengths[FIELDS * passage + at] === length);
  for (const list of others) {
    const those = new Set(having(list!, bit));
    passages = passages.filter((passage) => those.has(passage));
  }
  return passages;
}

function having({ passages, keyed }: PostingList, bit: number): number[] {
  return [...passages].filter((_, index) => (keyed[index]! & bit) > 0);
}
