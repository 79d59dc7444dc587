/**
 * Builds the browser's files into dist/: every script is a classic one, because modules do not load from
 * file://. Nothing is written unless all is well.
 */

import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { faults, scripts, weight } from "./bundles.mjs";
import { licences } from "./licences.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const DIST = join(HERE, "dist");
const RUNTIME = join(HERE, "node_modules/onnxruntime-web/dist/ort-wasm-simd-threaded.wasm");

const built = await scripts();
const found = built.flatMap(faults);
if (found.length > 0) {
  console.error(found.join("\n"));
  process.exit(1);
}

rmSync(DIST, { recursive: true, force: true });
mkdirSync(DIST);
for (const { name, code } of built) writeFileSync(join(DIST, `${name}.js`), code);
copyFileSync(RUNTIME, join(DIST, "runtime.wasm"));
writeFileSync(join(DIST, "LICENSES.txt"), licences(HERE));

const sizes = built.map(
  ({ name, code, budget }) => `  ${name.padEnd(20)} ${String(weight(code)).padStart(6)} of ${budget}`,
);
console.log(`dist/ is built. Bytes of the scripts, compressed:\n${sizes.join("\n")}`);
