export type Scheme = "light" | "dark";

/** Where themes say which scheme is on; their switches change these attributes. */
const ATTRIBUTES = ["data-md-color-scheme", "data-bs-theme", "data-theme", "data-mode", "class", "style"];

/**
 * The scheme of the page as it looks now: what a theme says by an attribute, else how dark the page's own
 * background is, else what the visitor's system prefers.
 */
export function schemeOf(page: Document): Scheme {
  const { documentElement: root, body } = page;
  const named =
    body.dataset.mdColorScheme ?? root.dataset.bsTheme ?? root.dataset.theme ?? body.dataset.theme ?? "";
  if (/dark|slate/.test(named)) return "dark";
  if (/light|default/.test(named)) return "light";
  for (const element of [body, root]) {
    const lightness = lightnessOf(getComputedStyle(element).backgroundColor);
    if (lightness !== null) return lightness < 0.5 ? "dark" : "light";
  }
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** From 0 for black to 1 for white; null for a colour that lets the canvas through, or is no `rgb()`. */
export function lightnessOf(color: string): number | null {
  const [red, green, blue, alpha = 1] = (/^rgba?\((.*)\)$/.exec(color)?.[1] ?? "")
    .split(/[\s,/]+/)
    .map(Number);
  if (red === undefined || green === undefined || blue === undefined || alpha < 0.5) return null;
  return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255;
}

/** Calls back at once and whenever the page's scheme may have changed. */
export function watchScheme(page: Document, apply: (scheme: Scheme) => void): void {
  const look = () => apply(schemeOf(page));
  const observer = new MutationObserver(look);
  for (const element of [page.documentElement, page.body]) {
    observer.observe(element, { attributes: true, attributeFilter: ATTRIBUTES });
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", look);
  look();
}
