/** What the browser's reader says of bytes and manifests that are not what they should be. */

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  decodeLight,
  decodePacks,
  decodePassages,
  decodeProjection,
  decodeTexts,
  decodeVectors,
  IndexError,
  Kind,
  PostingsPack,
  unwrap,
} from "../../web/src/engine/format.ts";
import { compareTerms, packOf } from "../../web/src/engine/lookup.ts";
import { parseManifest } from "../../web/src/engine/manifest.ts";
import { freshManifest, payload } from "../../web/src/worker/assets.ts";

const INDEX = new URL("../contract/index/", import.meta.url);
const written = readFileSync(new URL("manifest.json", INDEX), "utf8");
const { table, packs, vectors, light_encoder, encoder } = JSON.parse(written);
const first = (kind: string) => readdirSync(INDEX).find((name) => name.startsWith(`${kind}-`))!;
const stored = (file: string) => new Uint8Array(readFileSync(new URL(file, INDEX)));
const plain = (file: string) => new Uint8Array(gunzipSync(stored(file)));
const page = new TextEncoder().encode("<!doctype html><title>Not found</title><p>Try the home page.");

/** A file with one byte changed. */
function changed(at: number, byte: number): Uint8Array {
  const bytes = plain(table.file);
  bytes[at] = byte;
  return bytes;
}

describe("the bundled encoder's model for queries", () => {
  it("is, unwrapped, the one that its README names, as in Python", () => {
    const folder = new URL("../../builder/all-MiniLM-L6-v2/", import.meta.url);
    const file = readFileSync(new URL("query_model.bin", folder));
    const model = unwrap(Kind.encoder, new Uint8Array(gunzipSync(file)), "query_model.bin");
    const digest = createHash("sha256").update(model).digest("hex");
    expect(readFileSync(new URL("README.md", folder), "utf8")).toContain(digest);
  });
});

describe("an envelope", () => {
  it.each([
    ["a page served in its place", page, "table.bin is not a file of a Nearpage index."],
    ["no bytes at all", new Uint8Array(0), "table.bin is not a file of a Nearpage index."],
    ["a newer format", changed(4, 2), "table.bin has format 2, this reader knows 1."],
    ["another kind", changed(6, 3), "table.bin holds kind 3, expected 1."],
    [
      "an end that is missing",
      plain(table.file).subarray(0, -1),
      /^table.bin has \d+ bytes where \d+ were written\.$/,
    ],
  ])("is refused for %s", (_, bytes, message) => {
    expect(() => unwrap(Kind.passages, bytes, "table.bin")).toThrow(IndexError);
    expect(() => unwrap(Kind.passages, bytes, "table.bin")).toThrow(message);
  });
});

describe("a payload that ends too early", () => {
  it.each([
    ["passages", decodePassages, Kind.passages, table.file],
    [
      "postings",
      (bytes: Uint8Array, name: string) => new PostingsPack(bytes, name),
      Kind.postings,
      first("postings"),
    ],
    ["packs", decodePacks, Kind.packs, packs.file],
    ["texts", decodeTexts, Kind.texts, first("texts")],
    ["vectors", decodeVectors, Kind.vectors, vectors.packs[0].file],
    [
      "light",
      (bytes: Uint8Array, name: string) => decodeLight(bytes, name, vectors.dims),
      Kind.light,
      light_encoder.tables[0].file,
    ],
    [
      "projection",
      (bytes: Uint8Array, name: string) => decodeProjection(bytes, name, encoder.dims, vectors.dims),
      Kind.projection,
      encoder.projection.file,
    ],
  ])("is refused: %s", (_, decode, kind, file) => {
    const whole = unwrap(kind, plain(file), file);
    expect(() => decode(whole, file)).not.toThrow();
    for (const kept of [0, 1, whole.length >> 1, whole.length - 1]) {
      expect(() => decode(whole.subarray(0, kept), file)).toThrow(IndexError);
    }
  });
});

describe("a file over the network", () => {
  afterEach(() => vi.unstubAllGlobals());
  const answered = (body: Uint8Array) => {
    vi.stubGlobal("fetch", async () => new Response(body as Uint8Array<ArrayBuffer>));
    return payload(INDEX.href, table, Kind.passages);
  };

  it("may come as it was written, or already decoded by the host", async () => {
    const expected = unwrap(Kind.passages, plain(table.file), table.file);
    expect(await answered(stored(table.file))).toEqual(expected);
    expect(await answered(plain(table.file))).toEqual(expected);
  });

  it("is refused in words when it was cut short, or is a page", async () => {
    const cut = answered(stored(table.file).subarray(0, -9));
    await expect(cut).rejects.toThrow(new IndexError(`${table.file} is damaged or cut short.`));
    await expect(answered(page)).rejects.toThrow("is not a file of a Nearpage index.");
    await expect(answered(gzipSync(page))).rejects.toThrow("is not a file of a Nearpage index.");
  });

  it("is refused in words when a page stands in the manifest's place", async () => {
    vi.stubGlobal("fetch", async () => new Response(page));
    await expect(freshManifest(INDEX.href)).rejects.toThrow(IndexError);
  });
});

/** The paths of a manifest's members, as ["bm25", "k1"], and of all within them but plain words. */
function paths(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value)
    .filter(([, each]) => !Array.isArray(value) || typeof each === "object")
    .flatMap(([key, each]) => [[...path, key], ...paths(each, [...path, key])]);
}

/** The manifest with the member at a path replaced, or removed. */
function edited(path: string[], value?: unknown): unknown {
  const manifest = JSON.parse(written);
  const parent = path.slice(0, -1).reduce((members, key) => members[key], manifest);
  if (value === undefined) delete parent[path.at(-1)!];
  else parent[path.at(-1)!] = value;
  return manifest;
}

describe("a manifest", () => {
  /** The engine has no use for these; `root` and `code` are read in the page. */
  const unread =
    /^(generator|root|(light_encoder\.)?floor\.(unrelated|related)|sections|code|vectors\.encoder|encoder\.fingerprint)|\.\d+$/;
  const read = paths(JSON.parse(written)).filter((path) => !unread.test(path.join(".")));

  it("is read when it is whole", () => {
    expect(parseManifest(JSON.parse(written)).bm25.fields).toHaveLength(5);
  });

  it.each(read.map((path) => [path.join("."), path] as const))(
    "is refused with %s missing or wrong",
    (_, path) => {
      for (const value of [undefined, Number.NaN, {}]) {
        expect(() => parseManifest(edited(path, value))).toThrow(IndexError);
      }
    },
  );

  it.each([null, [], "<!doctype html>", 7, {}])("is not %j", (value) => {
    expect(() => parseManifest(value)).toThrow(IndexError);
  });

  it("is refused when it is of a newer format, with both numbers", () => {
    expect(() => parseManifest(edited(["format"], 2))).toThrow(
      "The index has format 2, this reader knows 1.",
    );
  });

  it.each([
    ["../model-0123456789abcdef.bin", true],
    ["../../model-0123456789abcdef.bin", false],
    ["../de/model-0123456789abcdef.bin", false],
    ["/model-0123456789abcdef.bin", false],
    ["https://a.example/model-0123456789abcdef.bin", false],
    ["manifest.json", false],
  ])("may name a file %s: %s", (file, isAllowed) => {
    const read = () => parseManifest(edited(["encoder", "model", "file"], file)).encoder?.model.file;
    if (isAllowed) expect(read()).toBe(file);
    else expect(read).toThrow(IndexError);
  });

  it("is refused when query and passages have vectors of different width", () => {
    const direct = edited(["encoder", "projection"], null) as { vectors: object };
    expect(() => parseManifest(direct)).toThrow(IndexError);
    const { dims } = encoder;
    expect(() => parseManifest({ ...direct, vectors: { ...direct.vectors, dims } })).not.toThrow();
  });
});

describe("the order of terms", () => {
  it("is by code points, where a script's own order is by UTF-16 units", () => {
    const ordered = ["", "a", "ab", "b", "日", "\ufa0e", "\u{10428}", "\u{10428}\u{10429}"];
    expect([...ordered].reverse().sort(compareTerms)).toEqual(ordered);
    expect(["\ufa0e", "\u{10428}"].sort()).toEqual(["\u{10428}", "\ufa0e"]);
  });

  it("finds the pack whose first term is not after the one that is looked for", () => {
    const packs = ["b", "\ufa0e", "\u{10428}"].map((first) => ({ file: "", bytes: 0, first }));
    const at = (term: string) => packOf(packs, term, compareTerms);
    expect(["a", "b", "c", "\ufa0e", "\ufa0ex", "\u{10428}", "\u{20000}"].map(at)).toEqual([
      -1, 0, 0, 1, 1, 2, 2,
    ]);
  });
});
