import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here(".."),
  cacheDir: here("node_modules/.vite"),
  // The tests stand in tests/web, from where node_modules cannot be found by walking up.
  resolve: {
    alias: {
      vitest: here("node_modules/vitest"),
      "@huggingface/tokenizers": here("node_modules/@huggingface/tokenizers"),
    },
  },
  // Machines that are busy take several times as long.
  test: { include: ["tests/web/**/*.test.ts"], environment: "node", testTimeout: 60_000 },
});
