/** The worker: owns the index and the encoder, answers messages. It is the only writer of its state. */

import { IndexError, Kind } from "../engine/format.ts";
import { encodeLight } from "../engine/light.ts";
import { type EncoderFiles, type File, parseManifest } from "../engine/manifest.ts";
import type { Semantic } from "../engine/search.ts";
import type { Failure, FromWorker, Mode, ShownResult, ToWorker } from "../engine/types.ts";
import { FetchError, freshManifest, payload } from "./assets.ts";
import { announce, arrived } from "./early.ts";
import { type Encoding, startEncoder } from "./encoder_client.ts";
import { once, Session } from "./session.ts";

declare const self: DedicatedWorkerGlobalScope & {
  /** Set by the stemmer's script, which stands before this one; absent for a language without one. */
  nearpageStem?: (word: string) => string;
};

type Asked = Extract<ToWorker, { type: "search" }>;

class EncoderError extends Error {}

let base = "";
let session: Session | null = null;
/** The full encoder, and whether the light one is at hand. */
let encoder: Encoding | null = null;
let isLight = false;
let isRefreshed = false;
const lightOnce = once(loadLight);
const encoderOnce = once(loadEncoder);

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.type === "start") {
    announce(data.coming);
    start(data.base, data.manifest);
  } else if (data.type === "file") arrived(data.file, data.bytes);
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
  // Codes and tables are read anew when they are wanted; the encoder is the same.
  isRefreshed = true;
}

async function searchedNow({ query, mode, limit, explain }: Asked): Promise<ShownResult> {
  const at = session!;
  if (mode === "vector" && !at.manifest.vectors)
    throw new EncoderError("This index was built without vectors.");
  const question = await at.read(query);
  const semantic = mode === "lexical" ? null : await meaning(question.text, mode);
  return at.search(question, mode ?? "hybrid", limit, semantic, explain);
}

/** The vector of a query's text; null where there is none to be had, unless the mode is `vector`. */
async function meaning(text: string, mode: Mode | undefined): Promise<Semantic | null> {
  try {
    // Who names a mode waits for the best that the index has.
    if (!encoder && mode !== undefined && session?.manifest.vectors) await encoderOnce();
    if (encoder && session) return await fullMeaning(text, encoder, session);
  } catch (error) {
    // The model may never stand in the way: a hybrid search goes on without it and says so by its rung.
    if (mode === "vector") throw error;
  }
  return isLight && session ? lightMeaning(text, session).catch(() => null) : null;
}

async function fullMeaning(text: string, { encode }: Encoding, at: Session): Promise<Semantic> {
  const [encoded, codes] = await Promise.all([encode(text), at.codes()]);
  return { rung: "full", vector: await at.meant(text, encoded), codes };
}

async function lightMeaning(text: string, at: Session): Promise<Semantic | null> {
  if (!at.manifest.light_encoder) return null;
  const [tables, codes] = await Promise.all([at.lightTables(), at.codes()]);
  return { rung: "light", vector: encodeLight(text, tables), codes };
}

/** Loads the light encoder, and tells the page unless the full one was there before it. */
async function loadLight(): Promise<void> {
  await Promise.all([session!.lightTables(), session!.codes()]);
  isLight = true;
  if (!encoder) send({ type: "rung", rung: "light" });
}

/** Loads the encoders and tells the page how it went; the light one alone where there is no other. */
async function loadEncoder(): Promise<void> {
  try {
    if (!session) await refresh();
    const { encoder: files, light_encoder } = session!.manifest;
    if (!files && !light_encoder) throw new EncoderError("This index was built without an encoder.");
    const light = light_encoder ? lightOnce() : Promise.resolve();
    if (!files) return await light;
    // First, for it is small; what it does not bring the full one will.
    await light.catch(() => undefined);
    await loadFull(files);
  } catch (error) {
    send({ type: "encoder_failed", failure: failure(error, "encoder") });
    throw error;
  }
}

async function loadFull(files: EncoderFiles): Promise<void> {
  const parts = [files.model, files.tokenizer, files.runtime];
  const total = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  let arrived = 0;
  const onBytes = (count: number) => {
    arrived = Math.min(total, arrived + count);
    send({ type: "progress", loaded: arrived, total });
  };
  const fetchPart = (file: File) => payload(base, file, Kind.encoder, onBytes);
  const [model, tokenizer, runtime] = await Promise.all([
    fetchPart(files.model),
    fetchPart(files.tokenizer),
    fetchPart(files.runtime),
    session!.codes(),
    session!.projection(),
  ]);
  encoder = await startEncoder(new URL(files.code.file, base).href, {
    model,
    tokenizer: JSON.parse(new TextDecoder().decode(tokenizer)) as object,
    runtime,
    config: files,
  });
  send({ type: "rung", rung: "full" });
}

function failure(error: unknown, otherwise: Failure["code"] = "worker"): Failure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof FetchError) return { code: "fetch", message };
  if (error instanceof IndexError) return { code: "format", message };
  if (error instanceof EncoderError) return { code: "encoder", message };
  return { code: otherwise, message };
}
