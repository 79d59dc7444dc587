/**
 * The browser's search for tests in Python: `node ask.mjs INDEX_FOLDER`.
 *
 * Reads lines of JSON, `[query, mode, limit, vector in the space of the codes, or null, whether to explain]`, and answers each with one: what the worker
 * would answer the page, without marks. The files come from the disk, all else is what runs in the browser.
 */

import { mkdtemp, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import vm from "node:vm";
import { stemmers } from "../../web/stemmers.mjs";

const WEB = new URL("../../web/", import.meta.url);
const { build } = createRequire(new URL("package.json", WEB))("esbuild");

globalThis.fetch = async (url) => new Response(await readFile(url));

/** What a module of the sources exports. */
async function bundled(contents) {
  const outfile = join(await mkdtemp(join(tmpdir(), "ask-")), "bundle.mjs");
  await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL("src/", WEB)), loader: "ts" },
    bundle: true,
    format: "esm",
    target: "es2022",
    outfile,
  });
  return import(pathToFileURL(outfile));
}

const base = pathToFileURL(`${resolve(process.argv[2])}/`);
const { Session, parseManifest } = await bundled(
  'export { Session } from "./worker/session.ts"; export { parseManifest } from "./engine/manifest.ts";',
);
const manifest = parseManifest(JSON.parse(await readFile(new URL("manifest.json", base), "utf8")));
const ALGORITHMS = { de: "german", en: "english", fr: "french", ru: "russian" };
const algorithm = ALGORITHMS[manifest.language.split("-")[0]];
let stem = (word) => word;
if (algorithm) {
  const self = {};
  vm.runInNewContext((await stemmers()).get(algorithm), { self });
  stem = self.nearpageStem;
}
const session = new Session(base.href, manifest, stem);
const codes = manifest.vectors && (await session.codes());

for await (const line of createInterface({ input: process.stdin })) {
  const [query, mode, limit, vector, isExplained] = JSON.parse(line);
  const semantic = vector && { rung: "full", vector: Float32Array.from(vector), codes };
  const question = await session.read(query);
  const { rung, ...result } = await session.search(question, mode, limit, semantic, isExplained);
  const hits = result.hits.map(({ blocks, ...hit }) => hit);
  process.stdout.write(`${JSON.stringify({ ...result, hits })}\n`);
}
