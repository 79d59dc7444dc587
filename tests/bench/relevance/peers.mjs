// Engines that run in JavaScript, asked without a browser: {records, queries} in, the pages of each query out.
//
//   node peers.mjs ENGINE [MATERIAL_WORKER] < input.json

import { readFileSync } from "node:fs";
import vm from "node:vm";
import lunr from "lunr";
import MiniSearch from "minisearch";

const PAGES = 10;
const [engine, worker] = process.argv.slice(2);
const { records, queries } = JSON.parse(readFileSync(0, "utf8"));
const address = ({ page, anchor }) => (anchor ? `${page}#${anchor}` : page);
const pageOf = (found) => found.split("#", 1)[0];
const heading = ({ title, headings }) => headings.at(-1) ?? title;

/** VitePress indexes sections as `title` (their heading), `titles` (those above it) and `text`. */
function miniSearch(options) {
  const index = new MiniSearch({ fields: ["title", "titles", "text"], ...options });
  index.addAll(
    records.map((record) => ({
      id: address(record),
      title: heading(record),
      titles: record.headings.slice(0, -1),
      text: record.text,
    })),
  );
  return (query) => index.search(query).map(({ id }) => id);
}

/** A word as lunr's English pipeline leaves it: nothing if it is a stop word, else Porter's stem. */
function stemmed(word) {
  const lower = word.toLowerCase();
  return lunr.stopWordFilter(lower) && lunr.stemmer(new lunr.Token(lower)).toString();
}

/** As mkdocs/contrib/search/templates/search/worker.js: the whole page is a document, and each section. */
function mkdocs() {
  const whole = new Map();
  for (const { page, text } of records) whole.set(page, (whole.get(page) ?? "") + text);
  lunr.tokenizer.separator = /[\s\-]+/;
  const index = lunr(function () {
    this.field("title");
    this.field("text");
    this.ref("location");
    for (const record of records) {
      const { anchor, page, title, text } = record;
      if (anchor) this.add({ location: address(record), title: heading(record), text });
      else this.add({ location: page, title, text: whole.get(page) });
    }
  });
  return (query) => index.search(query).map(({ ref }) => ref);
}

/** Material's own worker, with the settings of its search plugin for English. */
async function material() {
  let receive;
  let answer;
  const scope = { console: { warn() {} }, addEventListener: (_, listener) => (receive = listener) };
  scope.self = scope;
  scope.postMessage = (message) => answer(message);
  vm.runInContext(readFileSync(worker, "utf8"), vm.createContext(scope));
  const send = (data) =>
    new Promise((resolve) => {
      answer = resolve;
      receive({ data });
    });
  const escaped = (text) => text.replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const docs = records.map((record) => ({
    location: address(record),
    title: escaped(record.anchor ? heading(record) : record.title),
    text: escaped(record.text),
  }));
  const config = {
    lang: ["en"],
    separator: "[\\s\\-]+",
    pipeline: ["stopWordFilter"],
    fields: { title: { boost: 1e3 }, text: { boost: 1 }, tags: { boost: 1e6 } },
  };
  await send({ type: 0, data: { config, docs, options: { suggest: false } } });
  return async (query) => (await send({ type: 2, data: query })).data.items.map(([first]) => first.location);
}

const engines = {
  minisearch: () =>
    miniSearch({ searchOptions: { fuzzy: 0.2, prefix: true, boost: { title: 4, text: 2, titles: 1 } } }),
  minisearch_stemmed: () =>
    miniSearch({ processTerm: stemmed, searchOptions: { boost: { title: 2, text: 1, titles: 2 } } }),
  mkdocs,
  material,
};

const search = await engines[engine]();
const ranked = [];
for (const query of queries) {
  let found = [];
  try {
    found = await search(query);
  } catch (error) {
    // lunr reads ":" and other signs as operators; what it cannot parse finds nothing.
    if (!(error instanceof lunr.QueryParseError)) throw error;
  }
  ranked.push([...new Set(found.map(pageOf))].slice(0, PAGES));
}
process.stdout.write(JSON.stringify(ranked));
