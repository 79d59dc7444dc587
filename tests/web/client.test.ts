import { describe, expect, it, vi } from "vitest";
import type { FromWorker, ShownResult, ToWorker } from "../../web/src/engine/types.ts";
import { createClient, type WorkerLike } from "../../web/src/ui/client.ts";
import { latestOnly } from "../../web/src/ui/latest.ts";

/** Workers that record what they are sent and say what the test makes them say. */
function workers() {
  const spawned: {
    sent: ToWorker[];
    isTerminated: boolean;
    say(message: FromWorker): void;
    break(): void;
  }[] = [];
  const spawn = (): WorkerLike => {
    const worker: WorkerLike = {
      onmessage: null,
      onerror: null,
      postMessage: (message: ToWorker) => void state.sent.push(message),
      terminate: () => {
        state.isTerminated = true;
      },
    };
    const state = {
      sent: [] as ToWorker[],
      isTerminated: false,
      say: (data: FromWorker) => worker.onmessage?.call(worker as Worker, { data } as MessageEvent),
      break: () => worker.onerror?.call(worker as Worker, { message: "gone" } as ErrorEvent),
    };
    spawned.push(state);
    return worker;
  };
  return { spawn, spawned };
}

const answer = (query: string): ShownResult => ({ query, status: "ok", hits: [], rung: "lexical" });
const settled = () => new Promise((resolve) => setTimeout(resolve));

describe("the client", () => {
  it("starts no worker before something is asked", () => {
    const { spawn, spawned } = workers();
    createClient(spawn, async () => undefined);
    expect(spawned).toHaveLength(0);
  });

  it("gives each question its own answer, in whatever order they come", async () => {
    const { spawn, spawned } = workers();
    const client = createClient(spawn, async () => undefined);
    const first = client.search("one", 10);
    const second = client.search("two", 5, "lexical");
    expect(spawned[0]?.sent).toEqual([
      { type: "search", id: 1, query: "one", limit: 10 },
      { type: "search", id: 2, query: "two", limit: 5, mode: "lexical" },
    ]);
    spawned[0]?.say({ type: "result", id: 2, result: answer("two") });
    spawned[0]?.say({ type: "result", id: 1, result: answer("one") });
    expect((await first).query).toBe("one");
    expect((await second).query).toBe("two");
  });

  it("asks for reasons only where they are wanted", () => {
    const { spawn, spawned } = workers();
    const client = createClient(spawn, async () => undefined);
    void client.search("one", 10, "hybrid", true);
    void client.search("two", 10, "hybrid", false);
    expect(spawned[0]?.sent).toEqual([
      { type: "search", id: 1, query: "one", limit: 10, mode: "hybrid", explain: true },
      { type: "search", id: 2, query: "two", limit: 10, mode: "hybrid" },
    ]);
  });

  it("rejects with the failure's code", async () => {
    const { spawn, spawned } = workers();
    const search = createClient(spawn, async () => undefined).search("one", 10);
    spawned[0]?.say({ type: "failed", id: 1, failure: { code: "fetch", message: "no network" } });
    await expect(search).rejects.toMatchObject({ code: "fetch", message: "no network" });
  });

  it("renews the manifest once for a worker that cannot be started, and asks again", async () => {
    const { spawn, spawned } = workers();
    const renew = vi.fn(async () => undefined);
    const client = createClient(spawn, renew);
    client.loadEncoder();
    const search = client.search("one", 10);
    spawned[0]?.break();
    await settled();
    expect(renew).toHaveBeenCalledTimes(1);
    expect(spawned[1]?.sent.map(({ type }) => type)).toEqual(["search", "load_encoder"]);
    spawned[1]?.say({ type: "result", id: 1, result: answer("one") });
    expect((await search).query).toBe("one");
  });

  it("fails with code worker when that does not help, and starts afresh with the next question", async () => {
    const { spawn, spawned } = workers();
    const client = createClient(spawn, async () => undefined);
    const search = client.search("one", 10);
    const rejected = expect(search).rejects.toMatchObject({ code: "worker" });
    spawned[0]?.break();
    await settled();
    spawned[1]?.break();
    await rejected;
    void client.search("two", 10);
    expect(spawned).toHaveLength(3);
  });

  it("does not give up what is asked while the manifest is renewed", async () => {
    const { spawn, spawned } = workers();
    const client = createClient(spawn, settled as () => Promise<undefined>);
    client.start();
    spawned[0]?.break();
    void client.search("one", 10);
    await settled();
    await settled();
    expect(spawned).toHaveLength(2);
    expect(spawned[1]?.sent).toHaveLength(1);
  });

  it("fails at once for a worker that may not be started at all", async () => {
    const refuse = () => {
      throw new Error("SecurityError");
    };
    const client = createClient(refuse, () => Promise.reject(new Error("no fetch")));
    await expect(client.search("one", 10)).rejects.toMatchObject({ code: "worker" });
  });

  it("goes back to the lexical rung, without the encoder, after a death", async () => {
    const { spawn, spawned } = workers();
    const client = createClient(spawn, async () => undefined);
    const heard: string[] = [];
    client.listen(({ type }) => heard.push(type));
    client.loadEncoder();
    spawned[0]?.say({ type: "rung", rung: "full" });
    expect(client.rung()).toBe("full");
    spawned[0]?.break();
    expect(client.rung()).toBe("lexical");
    expect(heard).toEqual(["rung", "rung", "encoder_failed"]);
    client.loadEncoder();
    expect(spawned).toHaveLength(1);
  });

  it("may ask again for an encoder that could not be loaded", () => {
    const { spawn, spawned } = workers();
    const client = createClient(spawn, async () => undefined);
    client.loadEncoder();
    client.loadEncoder();
    spawned[0]?.say({ type: "encoder_failed", failure: { code: "fetch", message: "" } });
    client.loadEncoder();
    expect(spawned[0]?.sent.map(({ type }) => type)).toEqual(["load_encoder", "load_encoder"]);
  });
});

describe("latestOnly", () => {
  /** A task that ends when the test says so. */
  function tasks() {
    const started: { input: string; end: (output: string) => void; fail: (error: Error) => void }[] = [];
    const run = (input: string) =>
      new Promise<string>((end, fail) => {
        started.push({ input, end, fail });
      });
    return { started, run };
  }

  it("runs two at a time and then only the newest, and delivers only its answer", async () => {
    const { started, run } = tasks();
    const delivered: string[] = [];
    const latest = latestOnly(
      run,
      (output) => delivered.push(output),
      () => delivered.push("failed"),
    );
    for (const input of ["b", "ba", "bac", "back"]) latest.submit(input);
    expect(started.map(({ input }) => input)).toEqual(["b", "ba"]);
    started[1]?.end("BA");
    await settled();
    expect(started.map(({ input }) => input)).toEqual(["b", "ba", "back"]);
    started[0]?.fail(new Error("late"));
    started[2]?.end("BACK");
    await settled();
    expect(delivered).toEqual(["BACK"]);
  });

  it("delivers nothing after a cancel", async () => {
    const { started, run } = tasks();
    const delivered: string[] = [];
    const latest = latestOnly(
      run,
      (output) => delivered.push(output),
      () => undefined,
    );
    latest.submit("a");
    latest.cancel();
    started[0]?.end("A");
    await settled();
    expect(delivered).toEqual([]);
  });

  it("hands over the error of the latest", async () => {
    const failed: unknown[] = [];
    const latest = latestOnly(
      () => Promise.reject(new Error("no")),
      () => undefined,
      (error) => failed.push(error),
    );
    latest.submit("a");
    await settled();
    expect(failed).toHaveLength(1);
  });
});
