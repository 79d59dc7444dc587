/** What opens a theme's own search: a button, the label of a drawer, a box to type in, or the modal itself. */
const OPENERS = [
  "[data-nearpage-open]",
  // MkDocs and ProperDocs
  '[data-bs-target$="docs_search_modal"]',
  "#mkdocs_search_modal",
  "#properdocs_search_modal",
  // Read the Docs
  "#rtd-search-form",
  // Material, MaterialX and Zensical
  'label[for="__search"]',
  ".md-search__button",
  ".md-search__form",
].join();

/** Events by which a theme opens its search or searches in it; the last is Bootstrap's, before a modal shows. */
const EVENTS = [
  "mousedown",
  "click",
  "focus",
  "focusin",
  "focusout",
  "keyup",
  "input",
  "compositionend",
  "submit",
  "show.bs.modal",
];

/** Of those, the ones that must not reach the theme and yet open nothing. */
const SILENT = /focus|keyup/;

export const hasOpener = (): boolean => !!document.querySelector(OPENERS);

/**
 * Opens our dialog where the theme would open its own search.
 *
 * A box to type in opens it by a click or by what is typed, not by mere focus: who moves through the page
 * with the Tab key must get past it (WCAG 3.2.1). What was typed goes along.
 *
 * @param open gets the theme's box, if that is what was used.
 * @param prepare is called when the pointer or the focus comes near: an opening is likely.
 */
export function watchOpeners(open: (box: HTMLInputElement | null) => void, prepare: () => void): void {
  const approach = ({ target }: Event) => {
    if (target instanceof Element && target.closest(OPENERS)) prepare();
  };
  addEventListener("pointerover", approach, true);
  const take = (event: Event) => {
    const { type } = event;
    // When the focus leaves anything, Material asks whether its box has it now.
    const target = type === "focusout" ? (event as FocusEvent).relatedTarget : event.target;
    if (!(target instanceof Element && target.closest(OPENERS))) return;
    if (type === "focusin") prepare();
    // This listener stands on the window, before every listener of the theme.
    event.stopImmediatePropagation();
    // A composition under way must end in the box where it began.
    if (SILENT.test(type) || (event as InputEvent).isComposing) return;
    // Keeps the pointer from focusing the box, a label from ticking its drawer, the modal from showing.
    event.preventDefault();
    if (type === "mousedown") return;
    open(target instanceof HTMLInputElement ? target : target.querySelector("input"));
  };
  for (const type of EVENTS) addEventListener(type, take, true);
}
