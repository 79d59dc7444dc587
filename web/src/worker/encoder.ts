/**
 * The contextual encoder: the model in onnxruntime-web and its tokenizer. A script of its own, because
 * only a visitor who gets the model needs it. It runs in a thread of its own, where it answers messages,
 * or is loaded by `importScripts` and called; `encoder_client.ts` knows which.
 */

import { Tokenizer } from "@huggingface/tokenizers";
import { env, InferenceSession, Tensor } from "onnxruntime-web/wasm";
import { normalizeForEncoder } from "../engine/encoder_text.ts";
import { type Pooling, pool } from "../engine/pooling.ts";
import { ENCODER_THREAD, type FromEncoder, type ToEncoder } from "./encoder_client.ts";

export interface EncoderConfig {
  /** Width of the vectors. */
  dims: number;
  /** Most pieces the model takes, specials included. */
  limit: number;
  pooling: Pooling;
  query_prefix: string;
}

export interface EncoderFiles {
  /** An ONNX model; its buffer may be given away after the call. */
  model: Uint8Array;
  /** The content of tokenizer.json. */
  tokenizer: object;
  /** onnxruntime-web's WebAssembly. */
  runtime: Uint8Array;
  config: EncoderConfig;
}

export interface QueryEncoder {
  /** The unit vector of a query, prefix added; what is beyond the limit is cut off. */
  encode(text: string): Promise<Float32Array>;
  /** Piece ids of a query, prefix and specials included, cut at the limit. */
  ids(text: string): number[];
}

export type CreateEncoder = typeof createEncoder;

declare global {
  interface WorkerGlobalScope {
    readonly name: string;
    /** Set by encoder.js. */
    nearpageEncoder?: CreateEncoder;
  }
}

const INPUTS = new Set(["input_ids", "attention_mask", "token_type_ids"]);

/**
 * Loads the model and encodes one query, because the engine compiles WebAssembly when it first runs.
 *
 * @throws {Error} when the model cannot be run or is not a sentence encoder of `config.dims`.
 */
export async function createEncoder({
  model,
  tokenizer,
  runtime,
  config,
}: EncoderFiles): Promise<QueryEncoder> {
  const pieces = new Tokenizer(tokenizer, {});
  // With these and no paths the runtime fetches nothing, on file:// neither.
  env.wasm.numThreads = 1;
  env.wasm.proxy = false;
  env.wasm.wasmBinary = runtime;
  const session = await InferenceSession.create(model, { executionProviders: ["wasm"], logSeverityLevel: 3 });
  const foreign = session.inputNames.filter((name) => !INPUTS.has(name));
  const [outputName] = session.outputNames;
  if (foreign.length > 0 || !outputName) {
    throw new Error(`Not a sentence encoder: it asks for ${foreign.join(", ")}.`);
  }

  const ids = (text: string) => {
    const all = pieces.encode(normalizeForEncoder(config.query_prefix + text)).ids;
    return all.length > config.limit ? [...all.slice(0, config.limit - 1), all.at(-1)!] : all;
  };

  const encode = async (text: string) => {
    const inputIds = ids(text);
    const row = (value: (id: number) => bigint) =>
      new Tensor("int64", BigInt64Array.from(inputIds, value), [1, inputIds.length]);
    const inputs: Record<string, Tensor> = {
      input_ids: row(BigInt),
      attention_mask: row(() => 1n),
      token_type_ids: row(() => 0n),
    };
    const feeds = Object.fromEntries(session.inputNames.map((name) => [name, inputs[name]!]));
    const output = (await session.run(feeds, [outputName]))[outputName]!;
    if (output.dims.at(-1) !== config.dims) {
      throw new Error(`The encoder gives ${output.dims.at(-1)} dimensions, the index has ${config.dims}.`);
    }
    return pool(output.data as Float32Array, config.dims, config.pooling);
  };

  await encode("warm up");
  return { encode, ids };
}

/** Answers messages, in the order in which they come. */
function serve(thread: DedicatedWorkerGlobalScope): void {
  const send = (message: FromEncoder) => thread.postMessage(message);
  const fail = (id: number | null) => (error: unknown) =>
    send({ type: "failed", id, message: error instanceof Error ? error.message : String(error) });
  let encoder: Promise<QueryEncoder>;
  thread.onmessage = ({ data }: MessageEvent<ToEncoder>) => {
    if (data.type === "start") {
      encoder = createEncoder(data.files);
      encoder.then(() => send({ type: "ready" }), fail(null));
    } else {
      const { id, text } = data;
      encoder
        .then(({ encode }) => encode(text))
        .then((vector) => send({ type: "vector", id, vector }), fail(id));
    }
  };
}

self.nearpageEncoder = createEncoder;
if (self.name === ENCODER_THREAD) serve(self as unknown as DedicatedWorkerGlobalScope);
