import { describe, expect, it } from "vitest";
import type { BlockKind, Mark, MarkedBlock } from "../../web/src/engine/types.ts";
import { CODE_LINES, excerpt, TEXT_LENGTH } from "../../web/src/ui/excerpt.ts";

/** A block in which what stands between asterisks is marked. */
function block(kind: BlockKind, starred: string): MarkedBlock {
  const marks: Mark[] = [];
  let text = "";
  for (const [index, part] of starred.split("*").entries()) {
    if (index % 2 === 1) marks.push([text.length, text.length + part.length]);
    text += part;
  }
  return { kind, text, marks };
}

/** An excerpt as text with asterisks. */
function starred(blocks: MarkedBlock[]): string | undefined {
  return excerpt(blocks)
    ?.runs.map(({ text, marked }) => (marked ? `*${text}*` : text))
    .join("");
}

const filler = "Lorem ipsum dolor sit amet consectetur. ".repeat(20);

describe("an excerpt of prose", () => {
  it("is the whole of a short text", () => {
    expect(starred([block("prose", "Run *tasks* after a *response*.")])).toBe(
      "Run *tasks* after a *response*.",
    );
  });

  it("is the stretch with most different words, not with most marks", () => {
    const text = `*task* *task* *task* *task*. ${filler} A *task* after a *response*. ${filler}`;
    const shown = starred([block("prose", text)]);
    expect(shown).toContain("A *task* after a *response*.");
    expect(shown).toMatch(/^… .* …$/s);
  });

  it("keeps to its length and to whole words", () => {
    const shown = excerpt([block("prose", `${filler}needle *found* here. ${filler}`)])!.runs;
    const text = shown.map((run) => run.text).join("");
    expect(text.length).toBeLessThanOrEqual(TEXT_LENGTH + 4);
    for (const word of text.replaceAll("…", "").trim().split(/\s+/)) {
      expect(`${filler}needle found here.`.split(/\s+/)).toContain(word);
    }
  });

  it("is the start where nothing is marked", () => {
    expect(starred([block("prose", filler)])).toMatch(/^Lorem ipsum .* …$/);
  });

  it("does not cut a surrogate pair in two", () => {
    const shown = starred([block("prose", "👍".repeat(400))])!;
    expect(() => encodeURIComponent(shown)).not.toThrow();
  });

  it("does not lose a mark longer than an excerpt", () => {
    expect(starred([block("prose", `*${"x".repeat(400)}*`)])).toMatch(/^\*x+\* …$/);
  });
});

describe("an excerpt of code", () => {
  it("is a few lines about the marks, outdented, without blank ones", () => {
    const code =
      "import a\n\n\ndef f():\n    if x:\n\n        call(*tasks*)\n        return 1\n    other()\nlast()";
    const shown = excerpt([block("code", code)])!;
    expect(shown.kind).toBe("code");
    expect(shown.runs.map((run) => run.text).join("")).toBe("if x:\n    call(tasks)\n    return 1\nother()");
  });

  it("has as many lines as there are, to the end", () => {
    const shown = starred([block("code", "one\ntwo\nthree\nfour\nfive\n*six*\n")])!;
    expect(shown.split("\n")).toHaveLength(CODE_LINES);
    expect(shown).toMatch(/\*six\*$/);
  });

  it("begins a long line near its mark", () => {
    expect(starred([block("code", `${"a".repeat(100)}(*found*)`)])).toMatch(/^… a+\(\*found\*\)$/);
  });
});

describe("of several blocks", () => {
  it("prose is preferred to code that says as much", () => {
    expect(starred([block("code", "call(*task*)"), block("prose", "A *task*.")])).toBe("A *task*.");
  });

  it("code is shown where it says more", () => {
    const shown = excerpt([block("prose", "A *task*."), block("code", "call(*task*, *response*)")]);
    expect(shown?.kind).toBe("code");
  });

  it("none gives nothing to show", () => {
    expect(excerpt([])).toBeNull();
    expect(excerpt([block("prose", " \n")])).toBeNull();
  });
});
