"""Text as it goes to the encoder's tokenizer; the twin of `web/src/engine/encoder_text.ts`.

The builder tokenizes with the Rust library, the browser with its JavaScript port, and a query must give
the pieces that the same words gave in a passage. The two differ where their Unicode tables are of different
age, in the lower case of a final sigma, and in ideographs beyond the BMP. All that is settled here, before
either sees the text:

1. `FOREIGN` becomes a space: code points whose class (mark, punctuation, case) the libraries do not
   agree on, because they are younger than Unicode 8, and the scripts beyond the BMP, which no common
   vocabulary knows. Kept beyond the BMP are mathematical letters, symbols with emoji, and ideographs.
2. Ideographs beyond the BMP get a space on either side, as those in it get from the tokenizer.
3. Capital sigma becomes small, because JavaScript alone looks at what follows it.

Both sides keep the same text of `FOREIGN`, and `tests/contract/` compares the pieces.
"""

import re

FOREIGN = (
    "061D 07FD 0890-0891 0897-089F 08CA-08E2 09FD-09FE 0A76 0AFA-0AFF 0B55 0C04 0C3C 0C77 0C84 0D00 "
    "0D3B-0D3C 0D81 0EBA 0ECE 166D 1734 180F 1885-1886 1ABF-1AEB 1B4E-1B4F 1B7D-1B7F 1C89-1C8A "
    "1DF6-1DFB 2C2F 2C5F 2E43-2E5D A7C0-A7F6 A82C A8C5 A8FF A9BD D800-DFFF 10000-1D3FF "
    "1D800-1EFFF 1FC00-1FFFF 40000-10FFFF"
)
"""Hexadecimal code points and ranges. D800-DFFF are surrogates without their other half."""


def _character_class(ranges: str) -> re.Pattern[str]:
    parts = ("-".join(f"\\U{end:0>8}" for end in part.split("-")) for part in ranges.split(" "))
    return re.compile(f"[{''.join(parts)}]")


_FOREIGN = _character_class(FOREIGN)
_FAR_IDEOGRAPH = _character_class("20000-3FFFF")


def normalize_for_encoder(text: str) -> str:
    """Return the same words, in characters that every tokenizer library splits alike."""
    if text.isascii():
        return text
    text = _FOREIGN.sub(" ", text)
    text = _FAR_IDEOGRAPH.sub(r" \g<0> ", text)
    return text.replace("Σ", "σ")
