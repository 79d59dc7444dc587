import type { ShownHit } from "../engine/types.ts";

/** The hits of one page. */
export interface Group {
  page: string;
  title: string;
  hits: ShownHit[];
}

/**
 * Hits by page: pages in the order of their best hit, hits of a page best first. Of a long section, which
 * is several passages, only the best is kept: to a visitor they are one place.
 */
export function groupByPage(hits: readonly ShownHit[]): Group[] {
  const groups = new Map<string, Group>();
  const places = new Set<string>();
  for (const hit of hits) {
    if (places.has(hit.url)) continue;
    places.add(hit.url);
    const group = groups.get(hit.page) ?? { page: hit.page, title: hit.title, hits: [] };
    group.hits.push(hit);
    groups.set(hit.page, group);
  }
  return [...groups.values()];
}

/**
 * A better answer to the same query, for a list in which the visitor holds on to one hit: all up to that hit
 * stays as it is, and the better answer goes on below with what is not there yet.
 *
 * @param held the URL of the hit that must not move.
 */
export function refreshed(shown: readonly Group[], better: readonly Group[], held: string): Group[] {
  const at = shown.findIndex(({ hits }) => hits.some(({ url }) => url === held));
  if (at < 0) return [...better];
  const group = shown[at]!;
  const until = group.hits.findIndex(({ url }) => url === held) + 1;
  const kept = [...shown.slice(0, at), { ...group, hits: group.hits.slice(0, until) }];
  const there = new Set(kept.flatMap(({ hits }) => hits.map(({ url }) => url)));
  const rest = better.map((each) => ({ ...each, hits: each.hits.filter(({ url }) => !there.has(url)) }));
  // More of the held hit's own page goes below it, in its group.
  const more = rest.find(({ page }) => page === group.page)?.hits ?? [];
  const last = kept.at(-1)!;
  kept[kept.length - 1] = { ...last, hits: [...last.hits, ...more] };
  return [...kept, ...rest.filter(({ page, hits }) => page !== group.page && hits.length > 0)];
}

/** The headings over a hit, without the page's title, which stands over its group. */
export function headingsOf({ title, heading_path }: ShownHit): string[] {
  const [first, ...others] = heading_path;
  return first !== undefined && same(first, title) ? others : heading_path;
}

const same = (one: string, other: string) => plain(one) === plain(other);
const plain = (text: string) => text.replace(/\s+/g, " ").trim().toLowerCase();
