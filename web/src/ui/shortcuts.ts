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
