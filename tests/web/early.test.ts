/** What the page fetches for the worker is used, once, and what it could not fetch the worker fetches. */

import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Kind } from "../../web/src/engine/format.ts";
import { payload } from "../../web/src/worker/assets.ts";
import { announce, arrived } from "../../web/src/worker/early.ts";

const INDEX = new URL("../contract/index/", import.meta.url);
const { table } = JSON.parse(readFileSync(new URL("manifest.json", INDEX), "utf8"));
const stored = () => new Uint8Array(readFileSync(new URL(table.file, INDEX))).buffer;

describe("a file that the page fetches", () => {
  const fetched = vi.fn(async () => new Response(stored()));
  beforeEach(() => vi.stubGlobal("fetch", fetched));
  afterEach(() => {
    vi.unstubAllGlobals();
    fetched.mockClear();
  });
  const read = () => payload(INDEX.href, table, Kind.passages);

  it("is waited for and not fetched again", async () => {
    announce([table.file]);
    const reading = read();
    arrived(table.file, stored());
    expect((await reading).length).toBeGreaterThan(0);
    expect(fetched).not.toHaveBeenCalled();
  });

  it("is fetched where the page got nothing", async () => {
    announce([table.file]);
    arrived(table.file, undefined);
    expect((await read()).length).toBeGreaterThan(0);
    expect(fetched).toHaveBeenCalledTimes(1);
  });

  it("is fetched by who asks again, for what came may be damaged", async () => {
    announce([table.file]);
    arrived(table.file, stored().slice(0, 40));
    await expect(read()).rejects.toThrow("damaged or cut short");
    expect((await read()).length).toBeGreaterThan(0);
    expect(fetched).toHaveBeenCalledTimes(1);
  });
});
