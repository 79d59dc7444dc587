/** What every host of the engine has (page, worker, Node) though neither ES2023's library declares it. */
declare class TextDecoder {
  decode(input?: Uint8Array): string;
}
