/** Every text of the interface. */

/** Those of the loader, which must stay small. */
export const loaderTexts = {
  search: "Search",
  failed: "Search could not be loaded.",
};

const plural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;
const megabytes = (bytes: number) => (bytes / 1e6).toFixed(bytes < 10e6 ? 1 : 0);

/** Those of the dialog. Byte counts are those that the visitor's browser must fetch. */
export const texts = {
  label: "Search the documentation",
  placeholder: "Search or ask a question",
  close: "Close",
  escape: "Esc",
  results: "Results",
  found: (hits: number, pages: number) =>
    `${plural(hits, "result", "results")} on ${plural(pages, "page", "pages")}`,
  showing: "Showing results for",
  emptyTitle: "What are you looking for?",
  emptyHint: "A question in plain words, a few keywords, or the exact name of an option or a function.",
  nothingTitle: (query: string) => `Nothing relevant for “${query}”`,
  nothingHint: "Try other words, or say in a sentence what you want to do.",
  failedTitle: "Search could not be loaded",
  failedHint: "The connection may be down, or the site may be changing just now.",
  tryAgain: "Try again",
  keys: [
    ["↑ ↓", "move"],
    ["↵", "open"],
  ],
  rung: { lexical: "Keyword results", light: "Quick semantic results", full: "Semantic search ready" },
  loading: "loading semantic search",
  loadingPart: (loaded: number, total: number) =>
    `loading semantic search ${Math.floor((100 * loaded) / total)}% ` +
    `(${megabytes(loaded)} of ${megabytes(total)} MB)`,
  starting: "starting semantic search",
  semanticFailed: "semantic search could not be loaded",
  semanticSaved: "semantic search waits, to save data",
  load: (bytes: number) => `Load ${megabytes(bytes)} MB`,
};
