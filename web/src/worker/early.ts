/** Files that the page fetches while the worker's own script is on its way: then all come at once. */

type Bytes = ArrayBuffer | undefined;

const promised = new Map<string, Promise<Bytes>>();
const awaited = new Map<string, (bytes: Bytes) => void>();

/** The page is fetching these. */
export function announce(files: readonly string[]): void {
  for (const file of files) {
    promised.set(file, new Promise((resolve) => void awaited.set(file, resolve)));
  }
}

/** One has arrived; no bytes if it could not be fetched. */
export function arrived(file: string, bytes: Bytes): void {
  awaited.get(file)?.(bytes);
}

/** The bytes of a file that was announced, once: whoever asks again fetches it, and so where there are none. */
export async function taken(file: string): Promise<Uint8Array | undefined> {
  const bytes = await promised.get(file);
  promised.delete(file);
  return bytes && new Uint8Array(bytes);
}
