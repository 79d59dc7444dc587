/**
 * The one script in every page. It defines `<nearpage-search>` and `window.nearpage`, listens for what
 * opens a search, and fetches nothing until something does, or is about to.
 */

import type { ToWorker } from "../engine/types.ts";
import { type Api, checked, plain } from "./api.ts";
import { createClient } from "./client.ts";
import type { Dialog } from "./host.ts";
import styles from "./loader.css";
import type { Manifest } from "./manifest.ts";
import { hasOpener, watchOpeners } from "./openers.ts";
import { holdKeys, watchShortcuts } from "./shortcuts.ts";
import { loaderTexts as texts } from "./texts.ts";

const NAME = "nearpage-search";

/** A page may have come by two tags; an element's id may also have put something else in this place. */
const isFirst = !window.nearpage?.ready;

/** The publisher puts the manifest here, as an object. */
let manifest = "__NEARPAGE_MANIFEST__" as unknown as Manifest;

const base = new URL(".", (document.currentScript as HTMLScriptElement).src).href;

/** Reads the manifest that counts now; this page, or this script, may be older than the index. */
async function renew(): Promise<void> {
  const response = await fetch(`${base}manifest.json`, { cache: "no-cache" });
  manifest = await response.json();
}

/** A file's bytes for the worker, or none: then it tries for itself, and tells what is wrong. */
async function hand(worker: Worker, file: string): Promise<void> {
  const bytes = await fetch(base + file)
    .then((response) => (response.ok ? response.arrayBuffer() : undefined))
    .catch(() => undefined);
  worker.postMessage({ type: "file", file, bytes } satisfies ToWorker, bytes ? [bytes] : []);
}

const client = createClient(() => {
  const worker = new Worker(base + manifest.code.worker.file);
  // Beside the worker's script, not after it.
  const coming = [manifest.table.file, manifest.packs.file];
  worker.postMessage({ type: "start", base, manifest, coming } satisfies ToWorker);
  for (const file of coming) void hand(worker, file);
  return worker;
}, renew);

class NearpageSearch extends HTMLElement {
  readonly root = this.attachShadow({ mode: "open" });

  connectedCallback(): void {
    this.dataset.nearpageRung = client.rung();
    if (this.root.adoptedStyleSheets.length > 0) return;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(styles);
    this.root.adoptedStyleSheets = [sheet];
    if (hasOpener()) return;
    const button = document.createElement("button");
    button.className = "opener";
    button.textContent = texts.search;
    button.onclick = () => open();
    button.onpointerenter = button.onfocus = prepare;
    this.root.append(button);
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
  if (!isFirst) return;
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", register);
  else register();
});

client.listen((notice) => {
  if (notice.type === "rung") element.dataset.nearpageRung = notice.rung;
});

let script: Promise<unknown> | undefined;
let dialog: Promise<Dialog> | undefined;

const loadScript = (file: string) =>
  new Promise<unknown>((resolve, reject) => {
    const script = document.createElement("script");
    script.src = base + file;
    script.onload = resolve;
    script.onerror = reject;
    document.head.append(script);
  });

const loadDialogScript = () =>
  loadScript(manifest.code.dialog.file).catch(async () => {
    await renew();
    await loadScript(manifest.code.dialog.file);
  });

/** Fetches what a search begins with; if that fails, the opening tries again and tells. */
function prepare(): void {
  client.start();
  script ??= loadDialogScript();
  script.catch(() => {
    script = undefined;
  });
}

async function loadDialog(): Promise<Dialog> {
  await script;
  const site = new URL(manifest.root, base).href;
  return window.nearpageDialog!({ root: element.root, client, manifest, site });
}

/** @param box the theme's own, with what was typed in it until now. */
async function open(box?: HTMLInputElement | null): Promise<void> {
  const typed = holdKeys();
  await ready;
  prepare();
  try {
    dialog ??= loadDialog();
    const loaded = await dialog;
    loaded.open((box?.value ?? "") + typed());
    if (box) box.value = "";
  } catch {
    typed();
    dialog = undefined;
    const note = document.createElement("p");
    note.className = "note";
    note.role = "alert";
    note.textContent = texts.failed;
    element.root.append(note);
    setTimeout(() => note.remove(), 8_000);
  }
}

const api: Api = {
  ready,
  async search(...asked) {
    const { query, limit, mode, explain } = checked(...asked);
    return plain(await client.search(query, limit, mode, explain));
  },
  open: () => open(),
};
if (isFirst) {
  window.nearpage = api;
  watchOpeners(open, prepare);
  watchShortcuts(open);
}
