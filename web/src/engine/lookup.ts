/** Which pack holds what, and the postings of the packs that have arrived. */

import type { Lookup } from "./bm25.ts";
import type { ListedPack, PostingList, PostingsPack } from "./format.ts";
import type { QueryWord } from "./query.ts";

/** Order by code points, in which packs and dictionaries are written; `<` would order by UTF-16 units. */
export function compareTerms(left: string, right: string): number {
  const [one, other] = [[...left], [...right]];
  for (let at = 0; at < Math.min(one.length, other.length); at++) {
    const difference = one[at]!.codePointAt(0)! - other[at]!.codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

/** The number of the pack whose range holds a key, -1 before the first. */
export function packOf<Key>(
  packs: readonly ListedPack<Key>[],
  key: Key,
  compare: (left: Key, right: Key) => number,
): number {
  let [low, high] = [0, packs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compare(packs[middle]!.first, key) <= 0) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The number of the texts' pack that holds a passage. */
export function textsPackOf(packs: readonly ListedPack<number>[], passage: number): number {
  return packOf(packs, passage, (left, right) => left - right);
}

/** The numbers of the postings packs that a query needs. */
export function packsFor(words: readonly QueryWord[], packs: readonly ListedPack<string>[]): number[] {
  const needed = new Set<number>();
  for (const { alternatives, prefix } of words) {
    for (const term of alternatives.keys()) needed.add(packOf(packs, term, compareTerms));
    if (prefix !== null) for (const number of prefixPacks(prefix, packs)) needed.add(number);
  }
  needed.delete(-1);
  return [...needed];
}

/** The numbers of the postings packs that hold terms. */
export function packsOf(terms: readonly string[], packs: readonly ListedPack<string>[]): number[] {
  const needed = new Set(terms.map((term) => packOf(packs, term, compareTerms)));
  needed.delete(-1);
  return [...needed];
}

/** A lookup in the packs that have arrived, by number. */
export function lookupIn(
  packs: readonly ListedPack<string>[],
  arrived: ReadonlyMap<number, PostingsPack>,
): Lookup {
  const lists = new Map<string, PostingList | undefined>();
  return {
    postings(term) {
      if (!lists.has(term)) lists.set(term, arrived.get(packOf(packs, term, compareTerms))?.get(term));
      return lists.get(term);
    },
    expand(prefix) {
      return prefixPacks(prefix, packs).flatMap((number) =>
        [...(arrived.get(number)?.frequencies() ?? [])].filter(([term]) => term.startsWith(prefix)),
      );
    },
  };
}

function prefixPacks(prefix: string, packs: readonly ListedPack<string>[]): number[] {
  const numbers: number[] = [];
  for (let at = Math.max(0, packOf(packs, prefix, compareTerms)); at < packs.length; at++) {
    const { first } = packs[at]!;
    if (compareTerms(first, prefix) > 0 && !first.startsWith(prefix)) break;
    numbers.push(at);
  }
  return numbers;
}
