import { createRequire } from "node:module";
import vm from "node:vm";
import { describe, expect, it } from "vitest";
import { prepared, read, stemmers } from "../../web/stemmers.mjs";

const require = createRequire(new URL("../../web/package.json", import.meta.url));
const whole = require("snowball-stemmers") as {
  newStemmer(language: string): { stem(word: string): string };
};

const STEMS =
  "connect relat nation gener nécess kann möglich grund verf trabaj feliz habl corr kitap göz ev работ говор água";
const ENDINGS =
  "|s|es|ed|ing|ings|ation|ations|ational|ly|ness|nesses|ment|able|ibles|ement|ions|ité|ités|eux|euse|ung|ungen|lich|" +
  "keit|en|er|ern|ar|ado|ando|amente|ción|ciones|ção|ções|lar|ler|lerin|imiz|dan|ами|ость|ение|ого|s's|y|ies|ied";
const LETTERS = "abcdefghijklmnopqrstuvwxyzàâçèéêëîïôùûüäößáíóúñãõışğöабвгдежзиклмнопрстуфхցաբكتبتமிழ'";

/** Words made of stems and endings, and 2,000 of random letters from a fixed seed. */
function words(): string[] {
  const made = STEMS.split(" ").flatMap((stem) => ENDINGS.split("|").map((ending) => stem + ending));
  const letters = [...LETTERS];
  let seed = 20_26;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  for (let count = 0; count < 2_000; count++) {
    made.push(Array.from({ length: 1 + random(14) }, () => letters[random(letters.length)]).join(""));
  }
  return made;
}

describe("each language cut out of snowball-stemmers", async () => {
  for (const [language, code] of await stemmers()) {
    it(`stems as the whole package does: ${language}`, () => {
      const self: { nearpageStem?: (word: string) => string } = {};
      vm.runInNewContext(code, { self });
      const expected = whole.newStemmer(language);
      const differing = words().filter((word) => {
        const stem = read(language).test(word) ? expected.stem(prepared(language)(word)) : word;
        return self.nearpageStem?.(word) !== stem;
      });
      expect(differing).toEqual([]);
    });
  }
});
