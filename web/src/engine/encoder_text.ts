/**
 * Text as it goes to the encoder's tokenizer; the twin of `builder/encoder_text.py`, which says why.
 */

/** Hexadecimal code points and ranges. D800-DFFF are surrogates without their other half. */
export const FOREIGN =
  "061D 07FD 0890-0891 0897-089F 08CA-08E2 09FD-09FE 0A76 0AFA-0AFF 0B55 0C04 0C3C 0C77 0C84 0D00 " +
  "0D3B-0D3C 0D81 0EBA 0ECE 166D 1734 180F 1885-1886 1ABF-1AEB 1B4E-1B4F 1B7D-1B7F 1C89-1C8A " +
  "1DF6-1DFB 2C2F 2C5F 2E43-2E5D A7C0-A7F6 A82C A8C5 A8FF A9BD D800-DFFF 10000-1D3FF " +
  "1D800-1EFFF 1FC00-1FFFF 40000-10FFFF";

const characterClass = (ranges: string) =>
  new RegExp(`[${ranges.replace(/\w+/g, "\\u{$&}").replaceAll(" ", "")}]`, "gu");

const foreign = characterClass(FOREIGN);
const farIdeograph = characterClass("20000-3FFFF");

/** The same words, in characters that every tokenizer library splits alike. */
export function normalizeForEncoder(text: string): string {
  return text.replace(foreign, " ").replace(farIdeograph, " $& ").replaceAll("Σ", "σ");
}
