import type { Failure, FromWorker, Mode, ShownResult, ToWorker } from "../engine/types.ts";

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
   * Ranks by the best that is at hand, or by `mode`, which may wait for the encoder.
   *
   * @throws {SearchError} when the index or the encoder could not be loaded, or the worker died.
   */
  search(query: string, limit: number, mode?: Mode): Promise<ShownResult>;
  /** Asks for the full encoder, once in a page; `listen` hears how it goes. */
  loadEncoder(): void;
  listen(listener: (notice: Notice) => void): void;
}

export const searchError = ({ code, message }: Failure): SearchError =>
  Object.assign(new Error(message), { code });

/**
 * The page's side of the worker. The worker starts with the first request; one that dies fails what is
 * under way, and the next request starts another.
 *
 * @param spawn makes a worker; may throw, as it does on file:// URLs.
 * @param start the first message every worker gets.
 */
export function createClient(spawn: () => WorkerLike, start: ToWorker): Client {
  const listeners: ((notice: Notice) => void)[] = [];
  const waiting = new Map<number, [(result: ShownResult) => void, (error: SearchError) => void]>();
  let worker: WorkerLike | undefined;
  let lastId = 0;
  let encoderAsked = false;

  const tell = (notice: Notice) => {
    for (const listener of listeners) listener(notice);
  };

  const settle = (id: number) => {
    const callbacks = waiting.get(id);
    waiting.delete(id);
    return callbacks;
  };

  const die = (message: string) => {
    const failure: Failure = { code: "worker", message };
    worker?.terminate();
    worker = undefined;
    for (const id of [...waiting.keys()]) settle(id)?.[1](searchError(failure));
    tell({ type: "rung", rung: "lexical" });
    // Not asked for again: it may be what the worker died of.
    if (encoderAsked) tell({ type: "encoder_failed", failure });
  };

  const receive = ({ data }: MessageEvent<FromWorker>) => {
    if (data.type === "result") settle(data.id)?.[0](data.result);
    else if (data.type === "failed") settle(data.id)?.[1](searchError(data.failure));
    else if (data.type !== "ready") tell(data);
  };

  const wake = () => {
    if (worker) return;
    try {
      worker = spawn();
      worker.onmessage = receive;
      worker.onerror = (event) => die(event.message || "The search worker could not be started.");
      worker.postMessage(start);
    } catch (error) {
      die(String(error));
    }
  };

  const send = (message: ToWorker) => {
    wake();
    worker?.postMessage(message);
  };

  return {
    start: wake,
    search: (query, limit, mode) =>
      new Promise((resolve, reject) => {
        const id = ++lastId;
        waiting.set(id, [resolve, reject]);
        send({ type: "search", id, query, limit, ...(mode && { mode }) });
      }),
    loadEncoder() {
      if (encoderAsked) return;
      encoderAsked = true;
      send({ type: "load_encoder" });
    },
    listen: (listener) => void listeners.push(listener),
  };
}
