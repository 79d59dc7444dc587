import type { Failure, FromWorker, Mode, Rung, ShownResult, ToWorker } from "../engine/types.ts";

/** What the worker tells without being asked. */
export type Notice = Extract<FromWorker, { type: "progress" | "rung" | "encoder_failed" }>;

/** An error that says by `code` which part failed. */
export type SearchError = Error & Pick<Failure, "code">;

/** As much of a `Worker` as the client uses, so that tests can give another. */
export type WorkerLike = Pick<Worker, "postMessage" | "terminate" | "onmessage" | "onerror">;

export interface Client {
  /** Starts the worker, which begins to load what a search needs. */
  start(): void;
  /**
   * Ranks by the best that is at hand, or by `mode`, which may wait for the encoder; says why if it is to
   * `explain`.
   *
   * @throws {SearchError} when the index or the encoder could not be loaded, or the worker died.
   */
  search(query: string, limit: number, mode?: Mode, explain?: boolean): Promise<ShownResult>;
  /** Asks for the full encoder; `listen` hears how it goes. */
  loadEncoder(): void;
  listen(listener: (notice: Notice) => void): void;
  /** The rung that answers now. */
  rung(): Rung;
}

export const searchError = ({ code, message }: Failure): SearchError =>
  Object.assign(new Error(message), { code });

interface Waiting {
  message: ToWorker;
  resolve: (result: ShownResult) => void;
  reject: (error: SearchError) => void;
}

/**
 * The page's side of the worker. The worker starts with the first request.
 *
 * One that cannot be started may be missing because the page is older than the index: then `renew` is
 * called and another is started, once, with what was asked until now. One that dies later fails what is
 * under way, and the next request starts another.
 *
 * @param spawn makes a worker and sends it its first message; may throw, as it does on file:// URLs.
 * @param renew gets the manifest that counts now, which names the worker's script.
 */
export function createClient(spawn: () => WorkerLike, renew: () => Promise<void>): Client {
  const listeners: ((notice: Notice) => void)[] = [];
  const waiting = new Map<number, Waiting>();
  let worker: WorkerLike | undefined;
  let hasSpoken = false;
  let renewal: "none" | "running" | "done" = "none";
  let encoderAsked = false;
  let lastId = 0;
  let rung: Rung = "lexical";

  const tell = (notice: Notice) => {
    if (notice.type === "rung") rung = notice.rung;
    for (const listener of listeners) listener(notice);
  };

  const settle = (id: number) => {
    const found = waiting.get(id);
    waiting.delete(id);
    return found;
  };

  const fail = (message: string) => {
    const failure: Failure = { code: "worker", message };
    for (const id of [...waiting.keys()]) settle(id)?.reject(searchError(failure));
    tell({ type: "rung", rung: "lexical" });
    // What died with the encoder may have died of it, and gets none a second time.
    if (encoderAsked && hasSpoken) tell({ type: "encoder_failed", failure });
    else encoderAsked = false;
  };

  const die = async (message: string) => {
    worker?.terminate();
    worker = undefined;
    let failed = hasSpoken || renewal === "done";
    if (!failed) {
      renewal = "running";
      await renew().catch(() => {
        failed = true;
      });
      renewal = "done";
    }
    if (failed) {
      renewal = "none";
      return fail(message);
    }
    wake();
    for (const { message } of waiting.values()) post(message);
    if (encoderAsked) post({ type: "load_encoder" });
  };

  const receive = ({ data }: MessageEvent<FromWorker>) => {
    hasSpoken = true;
    if (data.type === "result") settle(data.id)?.resolve(data.result);
    else if (data.type === "failed") settle(data.id)?.reject(searchError(data.failure));
    else if (data.type !== "ready") {
      if (data.type === "encoder_failed") encoderAsked = false;
      tell(data);
    }
  };

  const post = (message: ToWorker) => worker?.postMessage(message);

  const wake = () => {
    // What is asked during a renewal is sent after it.
    if (worker || renewal === "running") return;
    hasSpoken = false;
    try {
      worker = spawn();
      worker.onmessage = receive;
      worker.onerror = (event) => die(event.message || "The search worker could not be started.");
    } catch (error) {
      die(String(error));
    }
  };

  return {
    start: wake,
    search: (query, limit, mode, explain) =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        const message: ToWorker = {
          type: "search",
          id,
          query,
          limit,
          ...(mode && { mode }),
          ...(explain && { explain }),
        };
        waiting.set(id, { message, resolve, reject });
        wake();
        post(message);
      }),
    loadEncoder() {
      if (encoderAsked) return;
      encoderAsked = true;
      wake();
      post({ type: "load_encoder" });
    },
    listen: (listener) => void listeners.push(listener),
    rung: () => rung,
  };
}
