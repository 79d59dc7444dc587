/** The dialog: loaded by the loader when a visitor first opens it. */

import type { ShownResult } from "../engine/types.ts";
import { addressIn } from "./address.ts";
import { type Group, groupByPage, refreshed } from "./grouping.ts";
import type { Dialog, Host } from "./host.ts";
import { latestOnly } from "./latest.ts";
import { element, icon } from "./nodes.ts";
import { createResultList } from "./results.ts";
import { createRungLine } from "./rung_line.ts";
import { watchScheme } from "./scheme.ts";
import styles from "./style.css";
import { texts } from "./texts.ts";

/** Hits asked for: as many as the API's default. */
const LIMIT = 10;
/** After so long, in ms, a search that is under way shows. */
const BUSY_AFTER = 250;
/** Screen readers hear a count when the visitor has stopped typing for so long, in ms. */
const ANNOUNCE_AFTER = 500;
/**
 * The encoder begins to load with the first results, or so long after the opening, in ms: on a slow line it
 * would hold up what the first results need.
 */
const ENCODER_AFTER = 1_000;

const GLASS = "M13.2 13.2 17 17M14.5 9a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0Z";

/** What the dialog's body shows. */
type View = "empty" | "results" | "nothing" | "failed";

interface Wanted {
  query: string;
  /** The query is that of the results on screen, and a better rung has arrived. */
  isRefresh: boolean;
}

function createDialog({ root, client, manifest, site }: Host): Dialog {
  const input = element("input", {
    type: "text",
    role: "combobox",
    "aria-label": texts.label,
    "aria-autocomplete": "list",
    "aria-expanded": "false",
    "aria-controls": "results",
    placeholder: texts.placeholder,
    autocomplete: "off",
    autocapitalize: "off",
    autocorrect: "off",
    spellcheck: "false",
    enterkeyhint: "search",
    dir: "auto",
  });
  const close = element(
    "button",
    { type: "button", class: "close" },
    element("kbd", { "aria-hidden": "true" }, texts.escape),
    element("span", { class: "unseen" }, texts.close),
  );
  const list = createResultList((url) => addressIn(site, url));
  const message = element("div", { class: "message" });
  const showing = element("p", { class: "showing", dir: "auto" });
  const body = element("div", { class: "body" }, showing, list.element, message);
  const announcer = element("div", { role: "status", class: "unseen" });
  const rungLine = createRungLine(client, manifest);
  const keys = element(
    "div",
    { class: "keys", "aria-hidden": "true" },
    ...texts.keys.map(([key, does]) => element("span", {}, element("kbd", {}, key!), ` ${does}`)),
  );
  const dialog = element(
    "dialog",
    { "aria-label": texts.label },
    element("div", { class: "bar" }, icon(GLASS), input, close),
    body,
    element("div", { class: "foot" }, rungLine.element, keys),
    announcer,
  );

  let groups: Group[] = [];
  /** The query whose answer is on screen. */
  let answered = "";
  let active: HTMLAnchorElement | null = null;
  let isPointed = false;
  let busyTimer = 0;
  let announceTimer = 0;

  const show = (view: View, ...content: (Node | string)[]) => {
    dialog.dataset.view = view;
    if (view !== "results") groups = [];
    list.show(groups);
    showing.hidden = view !== "results" || showing.childNodes.length === 0;
    input.setAttribute("aria-expanded", String(view === "results"));
    message.replaceChildren(...content);
  };

  const announce = (text: string) => {
    clearTimeout(announceTimer);
    announceTimer = setTimeout(() => {
      announcer.textContent = text;
    }, ANNOUNCE_AFTER);
  };

  const say = (view: View, title: string, hint: string, ...more: Node[]) => {
    activate(null);
    show(view, element("p", { class: "message-title" }, title), element("p", {}, hint), ...more);
    if (view !== "empty") announce(`${title}. ${hint}`);
  };

  const activate = (option: HTMLAnchorElement | null) => {
    active?.setAttribute("aria-selected", "false");
    option?.setAttribute("aria-selected", "true");
    active = option;
    if (option) input.setAttribute("aria-activedescendant", option.id);
    else input.removeAttribute("aria-activedescendant");
  };

  const settle = () => {
    clearTimeout(busyTimer);
    delete dialog.dataset.busy;
  };

  const deliver = (result: ShownResult, { query, isRefresh }: Wanted) => {
    settle();
    rungLine.loadEncoder();
    const held = isRefresh ? active?.dataset.url : undefined;
    answered = query;
    if (result.status === "nothing_relevant" || result.hits.length === 0) {
      if (!held) say("nothing", texts.nothingTitle(query), texts.nothingHint);
      return;
    }
    const better = groupByPage(result.hits);
    groups = held ? refreshed(groups, better, held) : better;
    if (!held) activate(null);
    const { suggestion } = result;
    showing.replaceChildren(...(suggestion ? [texts.showing, " ", element("strong", {}, suggestion)] : []));
    show("results");
    if (!isRefresh) body.scrollTop = 0;
    const found = texts.found(list.options().length, groups.length);
    announce(suggestion ? `${texts.showing} ${suggestion}: ${found}` : found);
    // A better rung arrived while this answer was on its way.
    if (!isRefresh && result.rung !== client.rung()) searches.submit({ query, isRefresh: true });
  };

  const fail = (_: unknown, { isRefresh }: Wanted) => {
    settle();
    // Results that are on screen are worth more than the news that better ones did not come.
    if (isRefresh) return;
    answered = "";
    const again = element("button", { type: "button", class: "again" }, texts.tryAgain);
    again.onclick = () => {
      input.focus();
      search();
    };
    say("failed", texts.failedTitle, texts.failedHint, again);
  };

  const searches = latestOnly(({ query }: Wanted) => client.search(query, LIMIT), deliver, fail);

  const search = () => {
    const query = input.value.trim();
    if (query === "") {
      searches.cancel();
      settle();
      answered = "";
      return say("empty", texts.emptyTitle, texts.emptyHint);
    }
    clearTimeout(busyTimer);
    busyTimer = setTimeout(() => {
      dialog.dataset.busy = "";
    }, BUSY_AFTER);
    searches.submit({ query, isRefresh: false });
  };

  const move = (by: 1 | -1) => {
    const options = list.options();
    if (options.length === 0) return;
    const from = active ? options.indexOf(active) : by === 1 ? -1 : 0;
    const to = (from + by + options.length) % options.length;
    activate(options[to]!);
    isPointed = false;
    // The first option brings its page's title along.
    if (to === 0) body.scrollTop = 0;
    else options[to]!.scrollIntoView({ block: "nearest" });
  };

  const press = (event: KeyboardEvent) => {
    // Themes listen on the document and do not look into the shadow root: `n` would turn the page.
    event.stopPropagation();
    if (event.isComposing || event.keyCode === 229 || event.target !== input) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      move(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter") {
      event.preventDefault();
      // What is selected was chosen; the first of the list counts only as an answer to what is typed.
      const option = active ?? (answered === input.value.trim() ? list.options()[0] : undefined);
      if (!option) return;
      if (event.ctrlKey || event.metaKey) window.open(option.href, "_blank", "noopener");
      else option.click();
    }
  };

  let pointer = "";
  const point = (event: PointerEvent) => {
    // Browsers also tell of a move when the list moves under a pointer that rests.
    const place = `${event.screenX},${event.screenY}`;
    if (place === pointer || event.pointerType === "touch") return;
    pointer = place;
    const option = (event.target as Element).closest<HTMLAnchorElement>("[role=option]");
    if (option && option !== active) activate(option);
    if (option) isPointed = true;
  };

  dialog.onkeydown = press;
  dialog.onkeyup = dialog.onkeypress = (event) => event.stopPropagation();
  input.oninput = search;
  close.onclick = () => dialog.close();
  dialog.onclick = (event) => {
    if (event.target === dialog) dialog.close();
  };
  list.element.onpointermove = point;
  list.element.onpointerleave = () => {
    if (isPointed) activate(null);
  };
  list.element.onclick = (event) => {
    // A link within the page would else change it unseen, behind the dialog.
    if (!(event.ctrlKey || event.metaKey || event.shiftKey)) dialog.close();
  };
  client.listen((notice) => {
    if (notice.type === "rung" && answered !== "" && answered === input.value.trim()) {
      searches.submit({ query: answered, isRefresh: true });
    }
  });

  const sheet = new CSSStyleSheet();
  sheet.replaceSync(styles);
  root.adoptedStyleSheets.push(sheet);
  root.append(dialog);
  watchScheme(document, (scheme) => {
    dialog.dataset.scheme = scheme;
  });
  say("empty", texts.emptyTitle, texts.emptyHint);

  return {
    open(query) {
      const wasOpen = dialog.open;
      if (!wasOpen) dialog.showModal();
      input.focus();
      if (query) {
        // Typed in the theme's box, and perhaps not to the end.
        input.value = query;
        input.setSelectionRange(query.length, query.length);
      } else if (!wasOpen) input.select();
      if (input.value.trim() !== answered) search();
      setTimeout(() => {
        if (dialog.open) rungLine.loadEncoder();
      }, ENCODER_AFTER);
    },
  };
}

window.nearpageDialog = createDialog;
