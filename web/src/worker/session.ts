/** One index, opened: what has been fetched of it, and how a query is answered from it. */

import { type Lookup, norm, score } from "../engine/bm25.ts";
import { MOST, verbatimFirst } from "../engine/exact.ts";
import { ofHits, ofResult } from "../engine/explain.ts";
import {
  decodeDictionary,
  decodeLight,
  decodePacks,
  decodePassages,
  decodeProjection,
  decodeTexts,
  decodeVectors,
  IndexError,
  joinedCodes,
  Kind,
  type PackList,
  PostingsPack,
  type ShownPassage,
} from "../engine/format.ts";
import { ranking } from "../engine/fusion.ts";
import { encodeLight, type LightTable } from "../engine/light.ts";
import { lookupIn, packsFor, packsOf, textsPackOf } from "../engine/lookup.ts";
import type { Manifest } from "../engine/manifest.ts";
import { markedTerms, marks } from "../engine/marks.ts";
import { type Asked, allowed, CHECKED, demanded, flags, isLong, read, stand } from "../engine/operators.ts";
import { type QueryWord, queryWords } from "../engine/query.ts";
import { hit, type PassageFacts, type Question, rank, type Semantic } from "../engine/search.ts";
import { corrected, misspelt, respelt } from "../engine/spelling.ts";
import type { Stem } from "../engine/terms.ts";
import type { Mode, ShownResult } from "../engine/types.ts";
import { weighed } from "../engine/unfinished.ts";
import { blended, type Codes, type Projection, projected } from "../engine/vectors.ts";
import { payload } from "./assets.ts";

/** A query, read. */
export interface ReadQuery extends Question {
  query: string;
  asked: Asked;
  /** The query with its words corrected, if any was. */
  suggestion: string | null;
}

export class Session {
  readonly manifest: Manifest;
  readonly #base: string;
  readonly #stem: Stem;
  readonly #table: Once<PassageFacts>;
  readonly #list: Once<PackList>;
  readonly #dictionary: Once<[string, number][]>;
  /** Which packs there are; none before the list has arrived. */
  #packs: PackList = { postings: [], texts: [] };
  /** Packs that have arrived, by number, and the fetches of all that were asked for. */
  readonly #postings = new Map<number, PostingsPack>();
  readonly #texts = new Map<number, ShownPassage[]>();
  readonly #fetches = new Map<string, Once<void>>();
  /** Where vectors are compared, and what the light encoder needs; each is fetched when it is first wanted. */
  readonly codes = once(() => this.#readCodes());
  readonly projection = once(() => this.#readProjection());
  readonly lightTables = once(() => this.#readLight());

  constructor(base: string, manifest: Manifest, stem: Stem) {
    this.#base = base;
    this.manifest = manifest;
    this.#stem = stem;
    this.#dictionary = once(async () =>
      decodeDictionary(await payload(base, manifest.dictionary, Kind.dictionary)),
    );
    this.#list = once(async () => {
      this.#packs = decodePacks(await payload(base, manifest.packs, Kind.packs), manifest.packs.file);
      return this.#packs;
    });
    this.#table = once(async () => {
      const { table, bm25 } = manifest;
      const { pages, lengths, boosts } = decodePassages(
        await payload(base, table, Kind.passages),
        table.file,
      );
      require(boosts.length === manifest.passages, table.file);
      return { pages, lengths, norms: norm(lengths, bm25), boosts };
    });
  }

  /** Fetches what every query needs. */
  async prepare(): Promise<void> {
    await Promise.all([this.#table(), this.#list()]);
  }

  /** The vector of a text, in the space of the codes, of which the full encoder gives `encoded`. */
  async meant(text: string, encoded: Float32Array): Promise<Float32Array> {
    const share = this.manifest.encoder?.light_share ?? 0;
    // Should its tables not come, the full encoder's vector is the better one of the two.
    const tables = share > 0 ? await this.lightTables().catch(() => []) : [];
    const full = projected(encoded, await this.projection());
    return tables.length > 0 ? blended(full, encodeLight(text, tables), share) : full;
  }

  /** The codes of all passages. */
  async #readCodes(): Promise<Codes> {
    const { packs, dims, bits } = this.manifest.vectors ?? { packs: [], dims: 0, bits: 1 };
    const read = packs.map(async (pack) => {
      const codes = decodeVectors(await payload(this.#base, pack, Kind.vectors), pack.file);
      require(codes.dims === dims && codes.bits === bits, pack.file);
      return codes;
    });
    const codes = joinedCodes(await Promise.all(read));
    require(codes.lengths.length === this.manifest.passages, packs[0]?.file ?? "The list of vectors");
    return codes;
  }

  /** The way from the encoder's vectors to the codes; null where they are in one space. */
  async #readProjection(): Promise<Projection | null> {
    const { vectors, encoder } = this.manifest;
    const file = encoder?.projection;
    if (!file || !vectors) return null;
    const read = await payload(this.#base, file, Kind.projection);
    return decodeProjection(read, file.file, encoder.dims, vectors.dims);
  }

  async #readLight(): Promise<LightTable[]> {
    const { vectors, light_encoder } = this.manifest;
    return Promise.all(
      (light_encoder?.tables ?? []).map(async (file) =>
        decodeLight(await payload(this.#base, file, Kind.light), file.file, vectors?.dims ?? 0),
      ),
    );
  }

  /** A query, read: its parts, and its words as they are looked up. */
  async read(query: string): Promise<ReadQuery> {
    const { light } = this.manifest;
    const { postings } = await this.#list();
    await this.#postingsOf(packsOf(flags(query, this.#stem), postings));
    const known = lookupIn(postings, this.#postings);
    const asked = read(query, this.#stem, (term) => known.postings(term) !== undefined);
    const words = queryWords(asked.text, this.#stem, light);
    await this.#postingsOf([...packsFor(words, postings), ...packsOf(demanded(asked), postings)]);
    const lookup = lookupIn(postings, this.#postings);
    const written = weighed(words, lookup, this.manifest.passages);
    const places = misspelt(written, lookup);
    if (places.length === 0)
      return { query, asked, text: asked.text, words: written, written, suggestion: null };
    const spelt = corrected(written, places, await this.#dictionary());
    await this.#postingsOf(packsFor(spelt.words, postings));
    return {
      query,
      asked,
      text: respelt(asked.text, spelt.best, this.#stem),
      words: spelt.words,
      written,
      suggestion: spelt.best.size > 0 ? respelt(query, spelt.best, this.#stem) : null,
    };
  }

  /** The best `limit` passages; hybrid mode without `semantic` answers lexically. */
  async search(
    question: ReadQuery,
    mode: Mode,
    limit: number,
    semantic: Semantic | null,
    isExplained = false,
  ): Promise<ShownResult> {
    const { light_encoder } = this.manifest;
    const floor = semantic?.rung === "light" && light_encoder ? light_encoder.floor : this.manifest.floor;
    const manifest = { ...this.manifest, floor };
    const { query, asked, words, suggestion } = question;
    const [facts, packs] = await Promise.all([this.#table(), this.#list()]);
    const lookup = lookupIn(packs.postings, this.#postings);
    const mask = await this.#allowed(asked, words, lookup, facts);
    const ranked = rank(question, mask, this.#stem, mode, lookup, facts, semantic, manifest);
    const looked = ranked.order.slice(0, Math.max(limit, MOST));
    const read = looked.filter(([passage], place) => place < limit || ranked.tiers[passage]! > 0);
    await this.#textsOf(read.map(([passage]) => passage));
    const named = (passage: number) => {
      const { title, headingPath } = this.#shown(passage);
      return [title, ...headingPath.slice(-1)];
    };
    const best = verbatimFirst(asked.text, looked, ranked.tiers, named).slice(0, limit);
    const passages = best.map(([passage]) => passage);
    const explanations = isExplained
      ? ofHits(asked.text, words, ranked, passages, named, lookup, facts, manifest)
      : [];

    const marked = markedTerms(words, lookup, manifest.passages);
    const hits = best.map((scored, index) => {
      const shown = this.#shown(scored[0]);
      const blocks = shown.blocks.map((block) => ({
        ...block,
        marks: marks(block.text, marked, this.#stem),
      }));
      const explanation = explanations[index];
      return { ...hit(ranked, index, scored, shown), blocks, ...(explanation && { explanation }) };
    });
    return {
      query,
      status: ranked.reason ? "nothing_relevant" : "ok",
      hits,
      ...(suggestion !== null && !ranked.reason && { suggestion }),
      ...(isExplained && { explanation: ofResult(question, ranked, manifest) }),
      rung: semantic && mode !== "lexical" ? semantic.rung : "lexical",
    };
  }

  /** 1 for each passage that meets the demands of a query; null where it has none. */
  async #allowed(
    asked: Asked,
    words: readonly QueryWord[],
    lookup: Lookup,
    { norms, boosts }: PassageFacts,
  ): Promise<Uint8Array | null> {
    if (asked.phrases.length === 0 && asked.excluded.length === 0) return null;
    const mask = allowed(asked, lookup, boosts.length);
    if (asked.phrases.length === 0) return mask;
    const { scores } = score(words, lookup, norms, boosts, this.manifest.bm25);
    const best = ranking(scores, CHECKED, false, mask);
    await this.#textsOf(best);
    const passing = new Uint8Array(boosts.length);
    for (const passage of best) {
      passing[passage] = stand(asked.phrases, this.#shown(passage), this.#stem) ? 1 : 0;
    }
    if (!passing.includes(1) && isLong(asked))
      return allowed({ ...asked, phrases: [] }, lookup, boosts.length);
    return passing;
  }

  async #textsOf(passages: readonly number[]): Promise<void> {
    const packs = new Set(passages.map((passage) => textsPackOf(this.#packs.texts, passage)));
    await Promise.all([...packs].map((number) => this.#textsPack(number)));
  }

  #shown(passage: number): ShownPassage {
    const number = textsPackOf(this.#packs.texts, passage);
    return this.#texts.get(number)![passage - this.#packs.texts[number]!.first]!;
  }

  async #postingsOf(packs: readonly number[]): Promise<void> {
    await Promise.all(packs.map((number) => this.#postingsPack(number)));
  }

  #postingsPack(number: number): Promise<void> {
    const pack = this.#packs.postings[number]!;
    return this.#fetch(pack.file, async () => {
      const bytes = await payload(this.#base, pack, Kind.postings);
      this.#postings.set(number, new PostingsPack(bytes, pack.file));
    });
  }

  #textsPack(number: number): Promise<void> {
    const pack = this.#packs.texts[number]!;
    return this.#fetch(pack.file, async () => {
      this.#texts.set(number, decodeTexts(await payload(this.#base, pack, Kind.texts), pack.file));
    });
  }

  #fetch(file: string, fetch: () => Promise<void>): Promise<void> {
    const known = this.#fetches.get(file) ?? once(fetch);
    this.#fetches.set(file, known);
    return known();
  }
}

/** Numbers that do not fit together would become NaN, and NaN ranks. */
function require(isSound: boolean, name: string): void {
  if (!isSound) throw new IndexError(`${name} does not fit the manifest beside it.`);
}

type Once<Value> = () => Promise<Value>;

/** A computation that runs at the first call, and again after it failed. */
export function once<Value>(compute: () => Promise<Value>): Once<Value> {
  let running: Promise<Value> | null = null;
  return () => {
    running ??= compute().catch((error: unknown) => {
      running = null;
      throw error;
    });
    return running;
  };
}
