/**
 * Cuts npm snowball-stemmers, one CommonJS file of 868 kB with every language, into one script a language.
 *
 * Each language is a section of that file, `var englishStemmer = function …`; all stand on the helpers and
 * the base class before the first section. A visitor needs one language, so a script is the helpers and
 * that one section, and sets `self.nearpageStem = (word) => string`.
 */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { transform } from "esbuild";

const PACKAGE = fileURLToPath(
  new URL("node_modules/snowball-stemmers/snowball-stemmers.js", import.meta.url),
);

const UNEXPECTED = "snowball-stemmers is not laid out as expected; look at its file and at web/stemmers.mjs.";

/** The name of a section, at the start of its line. */
const SECTION = /^ {4}var ([a-z]+)Stemmer = function /gm;

/** What follows the last section. */
const END = "\n    function newStemmer(lng) {";

/** What an algorithm reads of the letters, as in `builder/terms.py`: a word with any other is its own stem. */
const READ = {
  danish: "a-zæøå",
  finnish: "a-zäö",
  french: "\\u0000-êìíîð-\\uffff",
};
const READ_BY_OTHERS = "\\u0000-\\uffff";

const PREPARED = {
  /** As in `builder/terms.py`. */
  german: (word) =>
    word
      .replace(/ae/g, "ä")
      .replace(/oe/g, "ö")
      .replace(/(?<![aeq])ue/g, "ü"),
  /** Python's library reads ё as е; the package here is older. */
  russian: (word) => word.replace(/ё/g, "е"),
};

/** What an algorithm is given for a word; its source stands in the script. */
export const prepared = (language) => PREPARED[language] ?? ((word) => word);

/** Matches the words that an algorithm stems. */
export const read = (language) => new RegExp(`^[${READ[language] ?? READ_BY_OTHERS}]+$`, "u");

/**
 * A method that only finds the one for its number of arguments: `stem` calls `stem$esjava$0`. Most of them nobody
 * calls, by name or by a text that names it, because the package's own code names what it means.
 */
const DISPATCHER =
  /\{\n {12}key: '([^'$\n]+)',\n {12}value: function (?:(?!\n {12}\}\n).)*?\$esjava\$\d+\.apply\((?:(?!\n {12}\}\n).)*\n {12}\}\n {8}\}(?:, )?/gs;

/** @throws {Error} when nothing is replaced. */
function rewritten(source, pattern, by) {
  const result = source.replace(pattern, by);
  if (result === source) throw new Error(UNEXPECTED);
  return result;
}

const withoutIdleDispatchers = (source) =>
  rewritten(source, DISPATCHER, (method, name) =>
    [`.${name}(`, `"${name}"`].some((call) => source.includes(call)) ? method : "",
  );

/** A field that gets its first value when it is first read. Where that is no object, a plain one does the same. */
const LAZY_FIELD =
  /get: function get\(\) \{\n {16}return Object\.prototype\.hasOwnProperty\.call\(this, '_\$esjava\$\w+'\) \? [\w$.]+ : [\w$.]+ = (0|""|null|false);\n {12}\},\n {12}set: function set\(v\) \{\n[^\n]+\n {12}\}/g;

/** What stands between the name of a method and its number of arguments. */
const INFIX = /\$esjava\$(?=\d)/g;

/** The same methods in a smaller shape. */
const slimmed = (source) =>
  rewritten(rewritten(withoutIdleDispatchers(source), LAZY_FIELD, "value: $1"), INFIX, "$");

/** The older of the two English stemmers; `english` is its successor. */
const LEFT_OUT = new Set(["porter"]);

/**
 * The scripts, minified.
 *
 * @returns {Promise<Map<string, string>>} language, as Snowball names it (`english`), to script.
 * @throws {Error} when the package is not laid out as expected.
 */
export async function stemmers() {
  const source = readFileSync(PACKAGE, "utf8");
  const starts = [...source.matchAll(SECTION)].map((match) => ({ language: match[1], at: match.index }));
  const helpers = source.indexOf("    function _possibleConstructorReturn");
  const end = source.indexOf(END);
  if (starts.length !== 24 || helpers < 0 || end < starts.at(-1).at) {
    throw new Error(UNEXPECTED);
  }
  // The first line defines _typeof, which stands outside the module's function.
  const shared = source.slice(0, source.indexOf("\n")) + source.slice(helpers, starts[0].at);
  const scripts = new Map();
  for (const [index, { language, at }] of starts.entries()) {
    if (LEFT_OUT.has(language)) continue;
    const section = source.slice(at, starts[index + 1]?.at ?? end);
    scripts.set(language, await script(shared, section, language));
  }
  return scripts;
}

async function script(shared, section, language) {
  const { code } = await transform(
    `(function () { "use strict";
      ${slimmed(shared + section)}
      var stemmer = new ${language}Stemmer();
      var read = ${read(language)};
      var prepared = ${prepared(language)};
      // A text repeats its words, and a stem takes some 15 µs.
      var known = new Map();
      self.nearpageStem = function (word) {
        if (!read.test(word)) return word;
        var stem = known.get(word);
        if (stem === undefined) {
          stemmer.setCurrent$1(prepared(word));
          stemmer.stem$0();
          stem = stemmer.getCurrent$0();
          known.set(word, stem);
        }
        return stem;
      };
    })();`,
    { minify: true, charset: "ascii", target: "es2022", legalComments: "none" },
  );
  return code;
}
