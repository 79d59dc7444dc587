import { describe, expect, it } from "vitest";
import type { ShownHit } from "../../web/src/engine/types.ts";
import { groupByPage, headingsOf, refreshed } from "../../web/src/ui/grouping.ts";

function hit(url: string, heading_path: string[] = []): ShownHit {
  const [page = "", anchor = null] = url.split("#");
  const title = page.toUpperCase();
  const nothing = { rank: 1, text: "", score: 0, lexical_rank: null, vector_rank: null, blocks: [] };
  return { ...nothing, url, page, anchor, title, heading_path };
}

const groups = (...urls: string[]) => groupByPage(urls.map((url) => hit(url)));
const urls = (shown: ReturnType<typeof groups>) => shown.map(({ hits }) => hits.map(({ url }) => url));

describe("groupByPage", () => {
  it("orders pages by their best hit and keeps the order within", () => {
    expect(urls(groups("a#1", "b#1", "a#2", "c", "b#2"))).toEqual([["a#1", "a#2"], ["b#1", "b#2"], ["c"]]);
  });

  it("shows a section of several passages once", () => {
    expect(urls(groups("a#1", "a#1", "a"))).toEqual([["a#1", "a"]]);
  });
});

describe("refreshed", () => {
  const shown = groups("a#1", "b#1", "b#2", "c#1", "d#1");

  it("keeps all up to the held hit and goes on with the better answer", () => {
    const better = groups("d#1", "b#3", "e#1", "a#1", "b#1", "c#9");
    expect(urls(refreshed(shown, better, "b#1"))).toEqual([
      ["a#1"],
      ["b#1", "b#3"],
      ["d#1"],
      ["e#1"],
      ["c#9"],
    ]);
  });

  it("keeps a held hit that the better answer does not have", () => {
    expect(urls(refreshed(shown, groups("e#1"), "b#2"))).toEqual([["a#1"], ["b#1", "b#2"], ["e#1"]]);
  });

  it("keeps the very objects, whose elements must not be drawn anew", () => {
    const result = refreshed(shown, groups("b#1", "a#1"), "b#1");
    expect(result[0]?.hits[0]).toBe(shown[0]?.hits[0]);
    expect(result[1]?.hits[0]).toBe(shown[1]?.hits[0]);
  });

  it("is the better answer where nothing shown is held", () => {
    expect(urls(refreshed(shown, groups("e#1"), "z"))).toEqual([["e#1"]]);
  });
});

describe("headingsOf", () => {
  it("leaves out the page's title, which stands above", () => {
    expect(headingsOf(hit("a#1", ["A", "Usage", "First steps"]))).toEqual(["Usage", "First steps"]);
    expect(headingsOf(hit("a#1", ["Other", "Usage"]))).toEqual(["Other", "Usage"]);
    expect(headingsOf(hit("a"))).toEqual([]);
  });
});
