import { describe, expect, it } from "vitest";
import type { Lookup } from "../../web/src/engine/bm25.ts";
import { markedTerms, marks } from "../../web/src/engine/marks.ts";
import { queryWords } from "../../web/src/engine/query.ts";
import { lexemes, termsOf } from "../../web/src/engine/terms.ts";
import { stemOf } from "./stemming.ts";

const stem = stemOf("en");
const PASSAGES = 100;

/** A lookup in which each term stands in so many passages. */
function lookup(frequencies: Record<string, number>): Lookup {
  return {
    postings(term) {
      const df = frequencies[term];
      return df === undefined
        ? undefined
        : {
            passages: Uint32Array.from({ length: df }, (_, at) => at),
            frequencies: new Uint32Array(5 * df),
            keyed: new Uint8Array(df),
          };
    },
    expand: (prefix) =>
      Object.entries(frequencies)
        .filter(([term]) => term.startsWith(prefix))
        .sort(),
  };
}

/** The terms that a query marks. */
function marked(query: string, frequencies: Record<string, number>): string[] {
  const words = queryWords(query, stem, { weight: 1, words: new Set() });
  return [...markedTerms(words, lookup(frequencies), PASSAGES)].sort();
}

/** The marked pieces of a text. */
function pieces(text: string, ...terms: string[]): string[] {
  return marks(text, new Set(terms), stem).map(([start, end]) => text.slice(start, end));
}

describe("the terms that a query marks", () => {
  it("are its words and their stems, as far as the index knows them", () => {
    expect(marked("running tests ", { running: 2, run: 5, test: 3 })).toEqual(["run", "running", "test"]);
  });

  it("leave out words that stand everywhere", () => {
    expect(marked("the router ", { the: 90, router: 4 })).toEqual(["router"]);
    expect(marked("the router ", { the: 31, router: 30 })).toEqual(["router"]);
  });

  it("are such words all the same where the query has no other", () => {
    expect(marked("the of ", { the: 90, of: 80 })).toEqual(["of", "the"]);
  });

  it("take in what the last word begins, unless white space ends it", () => {
    expect(marked("conn", { connect: 2, connection: 3, con: 1 })).toEqual(["connect", "connection"]);
    expect(marked("conn ", { connect: 2, connection: 3 })).toEqual([]);
  });

  it("are none for an empty query", () => {
    expect(marked("", { the: 90 })).toEqual([]);
  });
});

/** The marked pieces of a text that answers a query, on a site of a hundred passages like it. */
function markedFor(query: string, text: string): string[] {
  const words = queryWords(query, stem, { weight: 1, words: new Set() });
  const known = Object.fromEntries([...lexemes(text, stem)].flatMap(termsOf).map((term) => [term, 1]));
  return pieces(text, ...markedTerms(words, lookup(known), PASSAGES));
}

describe("the marks for a word with a hyphen", () => {
  it("are on the word, however it is written, and on no letter by itself", () => {
    const text = "Vitamin E: she keeps the letter e, an e-mail, an email and the mail.";
    expect(markedFor("e-mail ", text)).toEqual(["e-mail", "email", "mail"]);
  });
});

describe("the marks of a text", () => {
  it("are whole words, however they are written", () => {
    expect(pieces("Connections, CONNECTED and connecting: connect.", "connect")).toEqual([
      "Connections",
      "CONNECTED",
      "connecting",
      "connect",
    ]);
  });

  it("are whole identifiers, of which a part is asked for", () => {
    expect(pieces("Call app.include_router(x) or includeRouter.", "router")).toEqual([
      "app.include_router",
      "includeRouter",
    ]);
  });

  it("take in the symbols of a name", () => {
    expect(pieces("C++, .env and --flag", "c++", "env", "flag")).toEqual(["C++", ".env", "--flag"]);
  });

  it("do not take 18 for 1.8", () => {
    expect(pieces("1.8 is not 18", "18")).toEqual(["18"]);
    expect(pieces("1.8 is not 18", "1.8")).toEqual(["1.8"]);
  });

  it("count UTF-16 units, as a text node does", () => {
    expect(marks("🚀 Straße", new Set(["strasse"]), stem)).toEqual([[3, 9]]);
    expect(pieces("𐐀𐐁 résumé", "resume", "𐐨𐐩")).toEqual(["𐐀𐐁", "résumé"]);
  });

  it("are in order, and none where nothing is asked for", () => {
    expect(marks("b a b", new Set(["a", "b"]), stem)).toEqual([
      [0, 1],
      [2, 3],
      [4, 5],
    ]);
    expect(marks("b a b", new Set(), stem)).toEqual([]);
    expect(marks("", new Set(["a"]), stem)).toEqual([]);
  });
});
