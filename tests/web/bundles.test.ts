import { describe, expect, it } from "vitest";
import { faults, scripts } from "../../web/bundles.mjs";

describe("the scripts", async () => {
  const first = await scripts();

  it("keep to their budgets, make no code from text, and have one place for the manifest", () => {
    expect(first.flatMap(faults)).toEqual([]);
  });

  it("are the same bytes when built again", async () => {
    expect(await scripts()).toEqual(first);
  });

  it("are told apart from what must not be shipped", () => {
    const wrong = { name: "dialog", code: "eval('1');maximum:65536,shared:!0", budget: 10 };
    expect(faults(wrong)).toEqual([
      expect.stringContaining("over its budget of 10"),
      expect.stringContaining("CSP"),
      expect.stringContaining("4 GiB"),
    ]);
  });
});
