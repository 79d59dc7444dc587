/** The worker: owns the index and the encoder, answers messages. It is the only writer of its state. */

import { IndexError, Kind } from "../engine/format.ts";
import { type File, parseManifest } from "../engine/manifest.ts";
import type { Semantic } from "../engine/search.ts";
import type { Failure, FromWorker, Mode, ShownResult, ToWorker } from "../engine/types.ts";
import { projected } from "../engine/vectors.ts";
import { FetchError, freshManifest, payload } from "./assets.ts";
import { type Encoding, startEncoder } from "./encoder_client.ts";
import { once, Session, type Space } from "./session.ts";

declare const self: DedicatedWorkerGlobalScope & {
  /** Set by the stemmer's script, which stands before this one; absent for a language without one. */
  nearpageStem?: (word: string) => string;
};

type Asked = Extract<ToWorker, { type: "search" }>;

interface LoadedEncoder {
  encoder: Encoding;
  space: Space;
}

class EncoderError extends Error {}

let base = "";
let session: Session | null = null;
let ready: LoadedEncoder | null = null;
let isRefreshed = false;
const encoderOnce = once(loadEncoder);

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === "start") start(data.base, data.manifest);
  else if (data.type === "load_encoder") encoderOnce().catch(() => undefined);
  else void answer(data);
};

function send(message: FromWorker): void {
  self.postMessage(message);
}

function start(address: string, manifest: unknown): void {
  base = address;
  try {
    session = opened(manifest);
  } catch {
    // The first search reads the host's manifest and tells what is wrong, if it still is.
    session = null;
  }
  // What every query needs is fetched while the visitor types; a failure shows with the first query.
  session?.prepare().catch(() => undefined);
  send({ type: "ready" });
}

function opened(manifest: unknown): Session {
  return new Session(base, parseManifest(manifest), self.nearpageStem ?? ((word) => word));
}

async function answer(asked: Asked): Promise<void> {
  const { id } = asked;
  try {
    send({ type: "result", id, result: await searched(asked) });
  } catch (error) {
    send({ type: "failed", id, failure: failure(error) });
  }
}

/** Answers; where the page is older than the index, once from the index that is there now. */
async function searched(asked: Asked): Promise<ShownResult> {
  if (!session) await refresh();
  try {
    return await searchedNow(asked);
  } catch (error) {
    if (!(error instanceof FetchError && error.missing) || isRefreshed) throw error;
    await refresh();
    return searchedNow(asked);
  }
}

async function refresh(): Promise<void> {
  session = opened(await freshManifest(base));
  isRefreshed = true;
  // The vectors belong to the passages; encoder and runtime come from the browser's cache.
  if (ready) ready = { ...ready, space: await session.space(() => undefined) };
}

async function searchedNow({ query, mode, limit, explain }: Asked): Promise<ShownResult> {
  const at = session!;
  if (mode === "vector" && !at.manifest.encoder)
    throw new EncoderError("This index was built without vectors.");
  const question = await at.read(query);
  const semantic = mode === "lexical" ? null : await meaning(question.text, mode);
  return at.search(question, mode ?? "hybrid", limit, semantic, explain);
}

/** The vector of a query's text; null where there is none to be had, unless the mode is `vector`. */
async function meaning(text: string, mode: Mode | undefined): Promise<Semantic | null> {
  try {
    if (!ready && mode !== undefined && session?.manifest.encoder) await encoderOnce();
    if (!ready || !session) return null;
    const { codes, projection } = ready.space;
    return { vector: projected(await ready.encoder.encode(text), projection), codes };
  } catch (error) {
    // The model may never stand in the way: a hybrid search goes on without it and says so by its rung.
    if (mode === "vector") throw error;
    return null;
  }
}

/** Loads the encoder and tells the page how it went. */
async function loadEncoder(): Promise<LoadedEncoder> {
  try {
    if (!session) await refresh();
    const at = session!;
    const { encoder: files, vectors } = at.manifest;
    if (!files || !vectors) throw new EncoderError("This index was built without an encoder.");
    const { projection } = files;
    const parts = [
      files.model,
      files.tokenizer,
      files.runtime,
      ...(projection ? [projection] : []),
      ...vectors.packs,
    ];
    const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);
    let arrived = 0;
    const onBytes = (count: number) => {
      arrived = Math.min(total, arrived + count);
      send({ type: "progress", loaded: arrived, total });
    };
    const fetchPart = (file: File) => payload(base, file, Kind.encoder, onBytes);
    const [model, tokenizer, runtime, space] = await Promise.all([
      fetchPart(files.model),
      fetchPart(files.tokenizer),
      fetchPart(files.runtime),
      at.space(onBytes),
    ]);
    const encoder = await startEncoder(new URL(files.code.file, base).href, {
      model,
      tokenizer: JSON.parse(new TextDecoder().decode(tokenizer)) as object,
      runtime,
      config: files,
    });
    ready = { encoder, space };
    send({ type: "rung", rung: "full" });
    return ready;
  } catch (error) {
    send({ type: "encoder_failed", failure: failure(error, "encoder") });
    throw error;
  }
}

function failure(error: unknown, otherwise: Failure["code"] = "worker"): Failure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof FetchError) return { code: "fetch", message };
  if (error instanceof IndexError) return { code: "format", message };
  if (error instanceof EncoderError) return { code: "encoder", message };
  return { code: otherwise, message };
}
