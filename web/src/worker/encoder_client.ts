/**
 * The encoder in a thread of its own. Compiling the runtime and reading the model take a second or two in
 * which a thread does nothing else; searches by words must not wait for that.
 */

import type { CreateEncoder, EncoderFiles, QueryEncoder } from "./encoder.ts";

declare const self: WorkerGlobalScope & { nearpageEncoder?: CreateEncoder };

/** By this name the encoder's script knows that it runs in its own thread. */
export const ENCODER_THREAD = "nearpage-encoder";

export type ToEncoder = { type: "start"; files: EncoderFiles } | { type: "encode"; id: number; text: string };

export type FromEncoder =
  | { type: "ready" }
  | { type: "vector"; id: number; vector: Float32Array }
  | { type: "failed"; id: number | null; message: string };

/** What can be asked of an encoder wherever it runs. */
export type Encoding = Pick<QueryEncoder, "encode">;

/**
 * Starts the encoder: in its own thread, or in this one where a worker may not start another.
 *
 * @param url the address of encoder.js.
 * @param files given away: their buffers are empty afterwards.
 * @throws {Error} when the script cannot be loaded or the model cannot be run.
 */
export async function startEncoder(url: string, files: EncoderFiles): Promise<Encoding> {
  const thread = spawned(url);
  if (thread) return remote(thread, files);
  importScripts(url);
  return self.nearpageEncoder!(files);
}

function spawned(url: string): Worker | null {
  try {
    return new Worker(url, { name: ENCODER_THREAD });
  } catch {
    return null;
  }
}

interface Waiting {
  resolve: (vector: Float32Array) => void;
  reject: (error: Error) => void;
}

function remote(thread: Worker, files: EncoderFiles): Promise<Encoding> {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let death: Error | null = null;
  const post = (message: ToEncoder, transfer: Transferable[] = []) => thread.postMessage(message, transfer);

  const encode = (text: string) =>
    new Promise<Float32Array>((resolve, reject) => {
      if (death) return reject(death);
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      post({ type: "encode", id, text });
    });

  return new Promise((resolve, reject) => {
    const die = (error: Error) => {
      death = error;
      thread.terminate();
      reject(error);
      for (const { reject: fail } of waiting.values()) fail(error);
      waiting.clear();
    };
    thread.onerror = ({ message }) => die(new Error(message || "The encoder's thread could not be started."));
    thread.onmessage = ({ data }: MessageEvent<FromEncoder>) => {
      if (data.type === "ready") return resolve({ encode });
      if (data.type === "failed" && data.id === null) return die(new Error(data.message));
      const id = data.id!;
      const asked = waiting.get(id);
      waiting.delete(id);
      if (data.type === "vector") asked?.resolve(data.vector);
      else asked?.reject(new Error(data.message));
    };
    post({ type: "start", files }, [files.model.buffer, files.runtime.buffer] as ArrayBuffer[]);
  });
}
