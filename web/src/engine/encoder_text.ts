/** Text as it goes to the encoder's tokenizer. */
export function normalizeForEncoder(text: string): string {
  return text;
}
