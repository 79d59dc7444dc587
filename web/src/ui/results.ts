import type { ShownHit } from "../engine/types.ts";
import { type Excerpt, excerpt } from "./excerpt.ts";
import { type Group, headingsOf } from "./grouping.ts";
import { arrange, element } from "./nodes.ts";
import { texts } from "./texts.ts";

/** The list of results: a listbox with a group a page and an option a hit. */
export interface ResultList {
  readonly element: HTMLElement;
  /** Draws a list; hits that were there as the same objects keep their elements where they are. */
  show(groups: readonly Group[]): void;
  /** The options, from the top. */
  options(): HTMLAnchorElement[];
}

/** @param href the address of a hit, by its URL relative to the site. */
export function createResultList(href: (url: string) => string): ResultList {
  const list = element("div", { role: "listbox", id: "results", "aria-label": texts.results });
  let drawn = new Map<ShownHit, HTMLAnchorElement>();
  let sections = new Map<string, { section: HTMLElement; heading: HTMLElement }>();
  let lastId = 0;

  const optionOf = (hit: ShownHit) => {
    const known = drawn.get(hit);
    if (known) return known;
    const id = `hit-${++lastId}`;
    const option = element("a", {
      role: "option",
      id,
      href: href(hit.url),
      tabindex: "-1",
      "aria-selected": "false",
    });
    option.dataset.url = hit.url;
    const headings = headingsOf(hit);
    const shown = excerpt(hit.blocks);
    if (headings.length > 0) option.append(headingLine(headings));
    else if (!shown) option.append(headingLine([hit.title]));
    if (shown) option.append(excerptOf(shown));
    return option;
  };

  const sectionOf = ({ page, title }: Group) => {
    const known = sections.get(page);
    if (known) return known;
    const id = `page-${++lastId}`;
    const heading = element(
      "div",
      { class: "page", role: "presentation" },
      element("span", { class: "page-title", id, dir: "auto" }, title),
      element("span", { class: "page-place", "aria-hidden": "true" }, placeOf(page)),
    );
    return { section: element("div", { role: "group", "aria-labelledby": id }, heading), heading };
  };

  return {
    element: list,
    show(groups) {
      const nextDrawn = new Map<ShownHit, HTMLAnchorElement>();
      const nextSections: typeof sections = new Map();
      for (const group of groups) {
        const { section, heading } = sectionOf(group);
        nextSections.set(group.page, { section, heading });
        for (const hit of group.hits) nextDrawn.set(hit, optionOf(hit));
        arrange(section, [heading, ...group.hits.map((hit) => nextDrawn.get(hit)!)]);
      }
      drawn = nextDrawn;
      sections = nextSections;
      arrange(
        list,
        [...sections.values()].map(({ section }) => section),
      );
    },
    options: () => [...list.querySelectorAll<HTMLAnchorElement>("[role=option]")],
  };
}

/** The folders that a page stands in: `tutorial / security` for `tutorial/security/first-steps/`. */
function placeOf(page: string): string {
  const parts = page.split("/").filter((part) => part !== "" && part !== "index.html");
  return parts.slice(0, -1).map(decodeURIComponent).join(" / ");
}

function headingLine(headings: readonly string[]): HTMLElement {
  const line = element("div", { class: "heading", dir: "auto" });
  const last = headings.at(-1) ?? "";
  for (const heading of headings.slice(0, -1)) line.append(element("span", {}, heading), " › ");
  line.append(element("strong", {}, last));
  return line;
}

function excerptOf({ kind, runs }: Excerpt): HTMLElement {
  const parts = runs.map(({ text, marked }) => (marked ? element("mark", {}, text) : text));
  return kind === "code"
    ? element("pre", { class: "excerpt", dir: "ltr" }, element("code", {}, ...parts))
    : element("p", { class: "excerpt", dir: "auto" }, ...parts);
}
