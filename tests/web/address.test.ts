import { expect, it } from "vitest";
import { addressIn } from "../../web/src/ui/address.ts";

it("resolves a hit against the site's root", () => {
  expect(addressIn("https://a.example/docs/", "guide/#x")).toBe("https://a.example/docs/guide/#x");
  expect(addressIn("https://a.example/docs/", "")).toBe("https://a.example/docs/");
});

it("names a folder's page where no server does", () => {
  expect(addressIn("file:///site/", "guide/#x")).toBe("file:///site/guide/index.html#x");
  expect(addressIn("file:///site/", "guide/a.html")).toBe("file:///site/guide/a.html");
});
