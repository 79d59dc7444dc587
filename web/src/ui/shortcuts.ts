/** Whether what the visitor types goes into a field; looks through shadow roots. */
function typing(): boolean {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return (
    element instanceof HTMLElement &&
    (element.isContentEditable || element.matches("input, textarea, select"))
  );
}

/** Opens by Ctrl+K and Cmd+K anywhere, by `/` where the visitor is not typing. */
export function watchShortcuts(open: () => void): void {
  const press = (event: KeyboardEvent) => {
    if (event.isComposing || event.altKey) return;
    const wanted =
      event.ctrlKey || event.metaKey
        ? event.key.toLowerCase() === "k" && !event.shiftKey
        : event.key === "/" && !typing();
    if (!wanted) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    open();
  };
  addEventListener("keydown", press, true);
}

/**
 * Keeps what is typed while the dialog is on its way: it belongs to the search, and a theme would take an
 * `n` for its next page.
 *
 * @returns lets go of the keyboard and gives what was typed.
 */
export function holdKeys(): () => string {
  let text = "";
  const hold = (event: KeyboardEvent) => {
    const { key } = event;
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (key === "Backspace") text = text.slice(0, -1);
    else if (key.length === 1) text += key;
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener("keydown", hold, true);
  return () => {
    removeEventListener("keydown", hold, true);
    return text;
  };
}
