/** Files of an index over the network: fetched, gunzipped where the host did not, checked, kept. */

import { IndexError, type Kind, unwrap } from "../engine/format.ts";
import type { File } from "../engine/manifest.ts";
import { taken } from "./early.ts";

/** A file that could not be fetched; `missing` when the host says that it is not there. */
export class FetchError extends Error {
  readonly missing: boolean;

  constructor(message: string, missing: boolean) {
    super(message);
    this.missing = missing;
  }
}

const TRIES = 3;
const PAUSE_MS = 400;

/** Bytes that have arrived since the last call, as they travel. */
export type OnBytes = (count: number) => void;

/** The payload of a file of the index. */
export async function payload(
  base: string,
  file: Pick<File, "file">,
  kind: Kind,
  onBytes?: OnBytes,
): Promise<Uint8Array> {
  // What is watched while it loads is what can wait: the encoder and its vectors.
  const fetchNow = () => fetched(new URL(file.file, base), onBytes ? { priority: "low" } : {});
  const stored = (await taken(file.file)) ?? (await bytes(await fetchNow(), onBytes));
  return unwrap(kind, await gunzipped(stored, file.file), file.file);
}

/** The manifest as it stands at the host now, past every cache. */
export async function freshManifest(base: string): Promise<unknown> {
  const response = await fetched(new URL("manifest.json", base), { cache: "no-cache" });
  try {
    return await response.json();
  } catch {
    throw new IndexError("manifest.json is not the manifest of an index.");
  }
}

async function fetched(url: URL, options: RequestInit = {}): Promise<Response> {
  for (let tried = 1; ; tried++) {
    try {
      const response = await fetch(url, options);
      if (response.ok) return response;
      if (response.status === 404 || response.status === 410) {
        throw new FetchError(`${url.pathname} is not there (${response.status}).`, true);
      }
      if (tried === TRIES)
        throw new FetchError(`${url.pathname} could not be fetched (${response.status}).`, false);
    } catch (error) {
      if (error instanceof FetchError) throw error;
      if (tried === TRIES)
        throw new FetchError(`${url.pathname} could not be fetched (${String(error)}).`, false);
    }
    await new Promise((resolve) => setTimeout(resolve, tried * PAUSE_MS));
  }
}

async function bytes(response: Response, onBytes?: OnBytes): Promise<Uint8Array> {
  if (!onBytes || !response.body) {
    const whole = new Uint8Array(await response.arrayBuffer());
    onBytes?.(whole.length);
    return whole;
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    length += value.length;
    onBytes(value.length);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

async function gunzipped(data: Uint8Array, name: string): Promise<Uint8Array> {
  if (data[0] !== 0x1f || data[1] !== 0x8b) return data;
  const stream = new Blob([data as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(new DecompressionStream("gzip"));
  try {
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    throw new IndexError(`${name} is damaged or cut short.`);
  }
}
