/** The scripts: how each is made, what it may weigh, and what none may contain. */

import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, transform } from "esbuild";
import { stemmers } from "./stemmers.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));

/** Entries, and what their bundles may weigh in bytes of gzip -9. The loader stands in every page. */
const BUNDLES = [
  { name: "loader", entry: "src/ui/loader.ts", budget: 3_000 },
  { name: "dialog", entry: "src/ui/dialog.ts", budget: 10_000 },
  { name: "worker", entry: "src/worker/worker.ts", budget: 17_000 },
  { name: "encoder", entry: "src/worker/encoder.ts", budget: 42_000 },
];
const STEMMER_BUDGET = 5_500;

/** The publisher puts the manifest in the place of this literal, quotes included. */
const PLACEHOLDER = '"__NEARPAGE_MANIFEST__"';

/**
 * The memory that onnxruntime-web's glue asks for: 4 GiB, shared even with one thread. iOS refuses to
 * reserve that much. 512 MiB (8,192 pages of 64 KiB) hold the encoder with its weights in fp32.
 * https://github.com/microsoft/onnxruntime/issues/22086
 */
const MEMORY = { asked: "maximum:65536,shared:!0", given: "maximum:8192,shared:!0" };

/** Refused by a Content-Security-Policy without 'unsafe-eval'. */
const EVAL = /\beval\s*\(|\bnew Function\b|(?<![\w.])Function\s*\(/;

const cssAsText = {
  name: "css-as-text",
  setup(plugin) {
    plugin.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, "utf8"), { loader: "css", minify: true });
      return { contents: code, loader: "text" };
    });
  },
};

const smallerMemory = {
  name: "smaller-memory",
  setup(plugin) {
    plugin.onLoad({ filter: /[\\/]ort\.wasm\.bundle\.min\.mjs$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      const found = source.split(MEMORY.asked).length - 1;
      if (found !== 1) {
        throw new Error(`onnxruntime-web asks for its memory in ${found} places, not in one: see MEMORY.`);
      }
      return { contents: source.replace(MEMORY.asked, MEMORY.given), loader: "js" };
    });
  },
};

async function bundle({ name, entry }) {
  const { outputFiles } = await build({
    absWorkingDir: HERE,
    entryPoints: [entry],
    bundle: true,
    format: "iife",
    platform: "browser",
    target: "es2022",
    minify: true,
    // A classic script is read in the encoding of its page, whatever that is.
    charset: "ascii",
    legalComments: "none",
    define: { "import.meta.url": "undefined" },
    plugins: [cssAsText, smallerMemory],
    write: false,
    outfile: `${name}.js`,
  });
  return outputFiles[0].text;
}

export const weight = (code) => gzipSync(code, { level: 9 }).length;

/**
 * Every script, minified; the same bytes for the same sources.
 *
 * @returns {Promise<{ name: string, code: string, budget: number }[]>}
 */
export async function scripts() {
  const bundled = BUNDLES.map(async (entry) => ({ ...entry, code: await bundle(entry) }));
  const cut = [...(await stemmers())].map(([language, code]) => ({
    name: `stemmer-${language}`,
    code,
    budget: STEMMER_BUDGET,
  }));
  return [...(await Promise.all(bundled)), ...cut];
}

/**
 * What is wrong with a script, in words for whoever runs the build; nothing if all is well.
 *
 * @param {{ name: string, code: string, budget: number }} script
 * @returns {string[]}
 */
export function faults({ name, code, budget }) {
  const found = [];
  const over = weight(code) - budget;
  if (over > 0) {
    found.push(
      `${name}.js is ${over} bytes (compressed) over its budget of ${budget}. Could the new part load later, or ` +
        "be said shorter? If it is worth its weight, raise the budget in bundles.mjs.",
    );
  }
  if (EVAL.test(code)) found.push(`${name}.js makes code from text, which many sites' CSP refuses.`);
  if (code.includes(MEMORY.asked)) found.push(`${name}.js still reserves 4 GiB of memory.`);
  const places = code.split(PLACEHOLDER).length - 1;
  const wanted = name === "loader" ? 1 : 0;
  if (places !== wanted) found.push(`${name}.js has ${places} places for the manifest, not ${wanted}.`);
  return found;
}
