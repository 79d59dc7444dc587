/**
 * The golden index in the browser's code, answer by answer as in Python: equal ranks, and scores equal to
 * the last bit. The session is the real one, its files come from the disk.
 */

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { encodeLight } from "../../web/src/engine/light.ts";
import { parseManifest } from "../../web/src/engine/manifest.ts";
import type { Semantic } from "../../web/src/engine/search.ts";
import type { HitExplanation, Mode, ResultExplanation } from "../../web/src/engine/types.ts";
import { Session } from "../../web/src/worker/session.ts";
import { stemOf } from "./stemming.ts";

type WrittenHit = [url: string, score: number, lexicalRank: number | null, vectorRank: number | null];

interface Answer extends Record<Mode, { status: string; hits: WrittenHit[] }> {
  query: string;
  encoded: number[];
  light: { status: string; hits: WrittenHit[] };
}

interface Explained
  extends Record<Mode, { result: ResultExplanation; hits: (HitExplanation & { url: string })[] }> {
  query: string;
  encoded: number[];
}

const CONTRACT = new URL("../contract/", import.meta.url);
const INDEX = new URL("index/", CONTRACT);
const LIMIT = 10;
const EXPLAINED_HITS = 3;
const json = (path: string) => JSON.parse(readFileSync(new URL(path, CONTRACT), "utf8")) as unknown;

const manifest = parseManifest(json("index/manifest.json"));
const answers = json("queries.json") as Answer[];
const explanations = json("explanations.json") as Explained[];
const fetched: string[] = [];

beforeAll(() => {
  vi.stubGlobal("fetch", async (url: URL) => {
    fetched.push(url.pathname);
    return new Response(readFileSync(url));
  });
});
afterAll(() => vi.unstubAllGlobals());

const opened = () => new Session(INDEX.href, manifest, stemOf(manifest.language));

/** What an encoder's vector is compared with; a query without words has none, and needs none. */
async function meaning(session: Session, text: string, encoded: number[]): Promise<Semantic> {
  const vector = Float32Array.from(encoded);
  const meant = encoded.length > 0 ? await session.meant(text, vector) : vector;
  return { rung: "full", vector: meant, codes: await session.codes() };
}

describe.each(["hybrid", "lexical", "vector"] as const)("in %s mode", (mode) => {
  // A session of its own, which has fetched nothing but what these queries need.
  it.each(answers)('answers as Python does: "$query"', async ({ query, encoded, ...expected }) => {
    const session = opened();
    const question = await session.read(query);
    const semantic = await meaning(session, question.text, encoded);
    const result = await session.search(question, mode, LIMIT, mode === "lexical" ? null : semantic);
    const hits = result.hits.map(({ url, score, lexical_rank, vector_rank }) => [
      url,
      score,
      lexical_rank,
      vector_rank,
    ]);
    const { status, suggestion } = result;
    expect({ status, hits, ...(suggestion !== undefined && { suggestion }) }).toStrictEqual(expected[mode]);
  });

  it.each(explanations)('explains as Python does: "$query"', async ({ query, encoded, ...expected }) => {
    const session = opened();
    const question = await session.read(query);
    const semantic = await meaning(session, question.text, encoded);
    const given = mode === "lexical" ? null : semantic;
    const result = await session.search(question, mode, EXPLAINED_HITS, given, true);
    const hits = result.hits.map(({ url, explanation }) => ({ url, ...explanation }));
    expect({ result: result.explanation, hits }).toStrictEqual(expected[mode]);
  });
});

it.each(answers)('answers by the light encoder as Python does: "$query"', async ({ query, light }) => {
  const session = opened();
  const [tables, codes] = await Promise.all([session.lightTables(), session.codes()]);
  const question = await session.read(query);
  const vector = encodeLight(question.text, tables);
  const result = await session.search(question, "hybrid", LIMIT, { rung: "light", vector, codes });
  const { status, suggestion } = result;
  const hits = result.hits.map((hit) => [hit.url, hit.score, hit.lexical_rank, hit.vector_rank]);
  expect({ status, hits, ...(suggestion !== undefined && { suggestion }) }).toStrictEqual(light);
});

it("explains nothing that was not asked for", async () => {
  const session = opened();
  const result = await session.search(await session.read("retries"), "lexical", 1, null);
  expect(result).not.toHaveProperty("explanation");
  expect(result.hits[0]).not.toHaveProperty("explanation");
});

it("fetches the packs of postings that a query needs, and of texts those of its hits", async () => {
  const session = opened();
  fetched.length = 0;
  await session.search(await session.read("websocket "), "lexical", 1, null);
  const kinds = fetched.map((path) => path.split("/").at(-1)!.split("-")[0]);
  expect(kinds.sort()).toEqual(["packs", "postings", "table", "texts"]);
});

it("numbers and shows hits as the command line prints them", async () => {
  const session = opened();
  const result = await session.search(await session.read("retries"), "lexical", 1, null);
  expect(result.hits).toHaveLength(1);
  expect(result.hits[0]).toMatchObject({
    rank: 1,
    url: "guide/background.html#errors",
    page: "guide/background.html",
    anchor: "errors",
    title: "Background work",
    heading_path: ["Background work", "When a task fails"],
    lexical_rank: 1,
    vector_rank: null,
  });
  expect(result.hits[0]!.text).toMatch(/^An exception in a task .*\n\nargument\tdefault\tmeaning\n/);
});
