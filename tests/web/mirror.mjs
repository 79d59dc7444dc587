/**
 * The browser's text functions for tests in Python: `node mirror.mjs terms | stems | unassigned`.
 *
 * `terms` and `stems` read lines of JSON, `[algorithm, text]`, and answer each with one: the terms of the
 * text, or the stem of the word; the algorithm `""` leaves words as they are. `unassigned` reads nothing
 * and writes the ranges of code points, `[first, last]`, that this Node's Unicode does not know.
 */

import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import vm from "node:vm";
import { stemmers } from "../../web/stemmers.mjs";

const WEB = new URL("../../web/", import.meta.url);
const { build } = createRequire(new URL("package.json", WEB))("esbuild");

async function engineTerms() {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("src/engine/terms.ts", WEB))],
    bundle: true,
    format: "esm",
    target: "es2022",
    write: false,
  });
  const source = Buffer.from(outputFiles[0].contents).toString("base64");
  return (await import(`data:text/javascript;base64,${source}`)).terms;
}

async function stemmerOf() {
  const scripts = await stemmers();
  const made = new Map([["", (word) => word]]);
  return (algorithm) => {
    if (!made.has(algorithm)) {
      const self = {};
      vm.runInNewContext(scripts.get(algorithm), { self });
      made.set(algorithm, self.nearpageStem);
    }
    return made.get(algorithm);
  };
}

function unassigned() {
  const ranges = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    if (!/\p{Cn}/u.test(String.fromCodePoint(code))) continue;
    const last = ranges.at(-1);
    if (last?.[1] === code - 1) last[1] = code;
    else ranges.push([code, code]);
  }
  return ranges;
}

async function answers(what) {
  if (what === "unassigned") return unassigned();
  const [terms, stemmer] = [await engineTerms(), await stemmerOf()];
  const found = [];
  for await (const line of createInterface({ input: process.stdin })) {
    const [algorithm, text] = JSON.parse(line);
    const stem = stemmer(algorithm);
    found.push(what === "terms" ? [...terms(text, stem)] : stem(text));
  }
  return found;
}

for (const answer of await answers(process.argv[2])) process.stdout.write(`${JSON.stringify(answer)}\n`);
