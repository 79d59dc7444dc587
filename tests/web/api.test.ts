import { describe, expect, it } from "vitest";
import type { ShownResult } from "../../web/src/engine/types.ts";
import { checked, plain } from "../../web/src/ui/api.ts";

describe("the arguments of a search", () => {
  it("are a query and nothing else, if need be", () => {
    expect(checked("x")).toEqual({ query: "x", mode: undefined, limit: 10, explain: false });
    expect(checked("", { mode: "lexical", limit: 3, explain: true })).toEqual({
      query: "",
      mode: "lexical",
      limit: 3,
      explain: true,
    });
  });

  it.each([undefined, null, 3, ["x"], { query: "x" }])("are refused without a text: %j", (query) => {
    expect(() => checked(query)).toThrow(TypeError);
    expect(() => checked(query)).toThrow("the query must be a string");
  });

  it.each([null, 5, "lexical"])("are refused with options that are none: %j", (options) => {
    expect(() => checked("x", options)).toThrow(TypeError);
    expect(() => checked("x", options)).toThrow("the options must be an object");
  });

  it.each(["semantic", "", null, 1])("are refused in a mode that there is not: %j", (mode) => {
    expect(() => checked("x", { mode })).toThrow(RangeError);
    expect(() => checked("x", { mode })).toThrow('mode must be "hybrid", "lexical" or "vector"');
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "5", null])(
    "are refused with a limit of %s",
    (limit) => {
      expect(() => checked("x", { limit })).toThrow(RangeError);
      expect(() => checked("x", { limit })).toThrow("limit must be a whole number of at least 1");
    },
  );
});

describe("a plain result", () => {
  it("has what the command line prints and nothing that only the dialog draws", () => {
    const hit = { rank: 1, url: "a/" } as ShownResult["hits"][number];
    const shown: ShownResult = { query: "x", status: "ok", hits: [{ ...hit, blocks: [] }], rung: "full" };
    expect(plain(shown)).toStrictEqual({ query: "x", status: "ok", hits: [hit] });
    expect(plain({ ...shown, suggestion: "y" })).toHaveProperty("suggestion", "y");
  });
});
