/** The stemmer of a language, as the builder puts it at the head of that language's worker. */

import vm from "node:vm";
import type { Stem } from "../../web/src/engine/terms.ts";
import { stemmers } from "../../web/stemmers.mjs";

const ALGORITHMS: Record<string, string> = {
  de: "german",
  en: "english",
  fr: "french",
  it: "italian",
  ru: "russian",
};
const scripts = await stemmers();

export function stemOf(language: string): Stem {
  const algorithm = ALGORITHMS[language.split("-")[0]!];
  if (!algorithm) return (word) => word;
  const self: { nearpageStem?: Stem } = {};
  vm.runInNewContext(scripts.get(algorithm)!, { self });
  return self.nearpageStem!;
}
