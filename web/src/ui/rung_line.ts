import type { Rung } from "../engine/types.ts";
import type { Client, Notice } from "./client.ts";
import type { Manifest } from "./manifest.ts";
import { element } from "./nodes.ts";
import { texts } from "./texts.ts";

/** The quiet line that says what ranks the results, and how far the next better thing is. */
export interface RungLine {
  readonly element: HTMLElement;
  /** Asks for the encoder, unless the visitor saves data or it failed. */
  loadEncoder(): void;
}

type State = "idle" | "loading" | "failed" | "saved";

/** Whether the visitor's browser was told to spare the network. */
function savesData(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  return connection?.saveData === true || matchMedia("(prefers-reduced-data: reduce)").matches;
}

export function createRungLine(client: Client, { encoder, light_encoder }: Manifest): RungLine {
  const text = element("span");
  const bar = element("progress", { "aria-label": texts.loading });
  const button = element("button", { type: "button", class: "quiet" });
  const line = element("div", { class: "rung" }, bar, text, button);

  /** Nothing better comes after it. */
  const top: Rung = encoder ? "full" : "light";
  let rung: Rung = client.rung();
  let state: State = "idle";
  let loaded = 0;
  let total = 0;
  /** What the button offers; nothing hides it. */
  let offered = "";

  const part = () => {
    if (state === "failed") return texts.semanticFailed;
    if (state === "saved") return texts.semanticSaved;
    if (state === "idle") return "";
    if (total === 0) return texts.loading;
    return loaded < total ? texts.loadingPart(loaded, total) : texts.starting;
  };

  const draw = () => {
    const says = rung === top ? "" : part();
    text.textContent = texts.rung[rung] + (says && ` · ${says}`);
    line.dataset.rung = rung;
    bar.hidden = rung === top || state !== "loading";
    button.hidden = rung === top || !offered;
    button.textContent = offered;
    // Without a value the bar is indeterminate: nothing has come yet, or the engine is starting.
    if (total > 0 && loaded < total) bar.value = loaded / total;
    else bar.removeAttribute("value");
  };

  const load = () => {
    state = "loading";
    offered = "";
    client.loadEncoder();
    draw();
  };

  const hear = (notice: Notice) => {
    if (notice.type === "rung") rung = notice.rung;
    else if (notice.type === "progress") ({ loaded, total } = notice);
    else {
      state = "failed";
      loaded = total = 0;
      if (notice.failure.code === "fetch") offered = texts.tryAgain;
    }
    draw();
  };

  button.onclick = load;
  client.listen(hear);
  draw();

  return {
    element: line,
    loadEncoder() {
      if (!(encoder || light_encoder) || state === "failed" || state === "saved") return;
      if (!savesData()) return load();
      const full = encoder ? [encoder.code, encoder.runtime, encoder.model, encoder.tokenizer] : [];
      const parts = [...full, ...(light_encoder?.tables ?? [])];
      state = "saved";
      offered = texts.load(parts.reduce((sum, { bytes }) => sum + bytes, 0));
      draw();
    },
  };
}
