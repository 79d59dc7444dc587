/**
 * The one script in every page. It defines `<nearpage-search>` and `window.nearpage`, listens for what
 * opens a search, and fetches nothing until something does.
 */

import { type Api, plain } from "./api.ts";
import { createClient, searchError } from "./client.ts";
import type { Dialog } from "./host.ts";
import styles from "./loader.css";
import type { Manifest } from "./manifest.ts";
import { hasOpener, watchOpeners } from "./openers.ts";
import { watchShortcuts } from "./shortcuts.ts";
import { loaderTexts as texts } from "./texts.ts";

const NAME = "nearpage-search";

/** The publisher puts the manifest here, as an object. */
const manifest = "__NEARPAGE_MANIFEST__" as unknown as Manifest;

const base = new URL(".", (document.currentScript as HTMLScriptElement).src).href;

const client = createClient(() => new Worker(base + manifest.code.worker.file), {
  type: "start",
  base,
  manifest,
});

class NearpageSearch extends HTMLElement {
  readonly root = this.attachShadow({ mode: "open" });

  connectedCallback(): void {
    this.dataset.nearpageRung ??= "lexical";
    if (this.root.firstChild || hasOpener()) return;
    const button = document.createElement("button");
    button.className = "opener";
    button.textContent = texts.search;
    button.onclick = () => open();
    this.show(button);
  }

  show(element: HTMLElement): void {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(styles);
    this.root.adoptedStyleSheets.push(sheet);
    this.root.append(element);
  }
}

let element: NearpageSearch;

const ready = new Promise<void>((resolve) => {
  const register = () => {
    customElements.define(NAME, NearpageSearch);
    element =
      document.querySelector<NearpageSearch>(NAME) ??
      document.body.appendChild(document.createElement(NAME) as NearpageSearch);
    resolve();
  };
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", register);
  else register();
});

client.listen((notice) => {
  if (notice.type === "rung") element.dataset.nearpageRung = notice.rung;
});

let dialog: Promise<Dialog> | undefined;

const loadDialog = () =>
  new Promise<Dialog>((resolve, reject) => {
    const script = document.createElement("script");
    const fail = () => reject(searchError({ code: "fetch", message: texts.failed }));
    script.src = base + manifest.code.dialog.file;
    script.onload = () => {
      const site = new URL("..", base).href;
      const created = window.nearpageDialog?.({ root: element.root, client, manifest, site });
      created ? resolve(created) : fail();
    };
    script.onerror = fail;
    document.head.append(script);
  });

/** @param box the theme's own, with what was typed in it until now. */
async function open(box?: HTMLInputElement | null): Promise<void> {
  await ready;
  client.start();
  try {
    dialog ??= loadDialog();
    const loaded = await dialog;
    loaded.open(box?.value);
    if (box) box.value = "";
  } catch {
    dialog = undefined;
    const note = document.createElement("p");
    note.className = "note";
    note.role = "alert";
    note.textContent = texts.failed;
    element.show(note);
    setTimeout(() => note.remove(), 8_000);
  }
}

const api: Api = {
  ready,
  async search(query, { mode, limit = 10 } = {}) {
    return plain(await client.search(query, limit, mode));
  },
  open: () => open(),
};
window.nearpage = api;
watchOpeners(open);
watchShortcuts(open);
