import type { Client } from "./client.ts";
import type { Manifest } from "./manifest.ts";

/** What the loader, which is on every page, gives the dialog, which comes with the first opening. */
export interface Host {
  root: ShadowRoot;
  client: Client;
  manifest: Manifest;
  /** The site's root, absolute, ending in a slash; hits are relative to it. */
  site: string;
}

export interface Dialog {
  /** Shows the dialog; a query given takes the place of the last one. */
  open(query?: string): void;
}

declare global {
  interface Window {
    /** Set by dialog.js. */
    nearpageDialog?: (host: Host) => Dialog;
  }
}
