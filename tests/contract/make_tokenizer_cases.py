"""Writes tokenizer_cases.json.gz: texts, and the piece ids that Python's tokenizers gives for them.

    python tests/contract/make_tokenizer_cases.py

The same bytes on every run; the file changes only with the texts below, with `normalize_for_encoder` or with
the bundled tokenizer. `test_tokenizer.py` and `tests/web/tokenizer.test.ts` both read it.
"""

import gzip
import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path

from nearpage.builder.encoder import BUNDLED, PieceCounter
from nearpage.builder.encoder_text import FOREIGN, normalize_for_encoder

CASES = Path(__file__).parent / "tokenizer_cases.json.gz"
BLOCK = 256
"""Code points that share a digest in the sweep."""

PROSE = {
    "en": "You can define background tasks to be run after returning a response. It's useful, isn't it? §4!",
    "de": "Größere Änderungen müssen ausführlich begründet werden; der Straßenname heißt „Übergößenweg“.",
    "fr": "L'utilisateur a déjà reçu l'œuvre complète : « où êtes-vous ? », dit-elle à Noël, près de l'île.",
    "es": "¿Cómo configuro la autenticación? ¡Añádela al módulo y reinicia el servidor mañana!",
    "pt": "A configuração não é obrigatória, mas recomendamos avaliação contínua das opções.",
    "it": "Perché l'errore è così frequente? Verrà già risolto nella città più vicina.",
    "tr": "İstanbul'da IĞDIR ılık İÇİN şöyle çalıştırılır: ayarları güncelleyiniz.",
    "pl": "Zażółć gęślą jaźń, a następnie uruchom ponownie usługę w środę.",
    "cs": "Příliš žluťoučký kůň úpěl ďábelské ódy ve složce s nastavením.",
    "vi": "Hướng dẫn cài đặt môi trường phát triển và chạy thử nghiệm tự động.",
    "ru": "Фоновые задачи выполняются после отправки ответа; ёлка и йод тоже.",
    "uk": "Її об'єкт зберігається у ґанку, а потім ще й змінюється.",
    "el": "Ο ΣΊΣΥΦΟΣ έσπρωχνε τον βράχο· ΟΔΥΣΣΕΥΣ, ΣΟΦΟΣ ΚΑΙ ΑΣΦΑΛΗΣ. Τέλος Σ.",
    "ar": "يمكنك تعريف المهام التي تعمل في الخلفية؛ هَلْ هٰذَا صَحِيحٌ؟",
    "he": "הגדרת משימות רקע שירוצו לאחר החזרת התשובה, שָׁלוֹם.",
    "hi": "पृष्ठभूमि कार्य प्रतिक्रिया लौटाने के बाद चलाए जाते हैं। क्षत्रिय ज़्यादा।",
    "th": "กำหนดงานเบื้องหลังให้ทำงานหลังจากส่งคำตอบแล้ว น้ำใจ",
    "ja": "バックグラウンドタスクは、レスポンスを返した後に実行されます。ガギグゲゴ ｶﾞｷﾞ 東京都𠮷野家",
    "ko": "백그라운드 작업은 응답을 반환한 후 실행됩니다. 각 뷁 한글",
    "zh": "您可以定义在返回响应后运行的后台任务。𠀀𠀁𪚥𫝆𬺰 葛󠄀飾区，㐀㐁",
    "ta": "பின்னணி பணிகளை வரையறுக்கலாம். கொடு சொல்",
    "ka": "ფონური ამოცანები ᲡᲐᲥᲐᲠᲗᲕᲔᲚᲝ სრულდება პასუხის შემდეგ.",
    "hy": "Հետին պլանի առաջադրանքները կատարվում են պատասխանից հետո։ և",
}
CODE = """from fastapi import BackgroundTasks, FastAPI
app = FastAPI(title="Ünïcode", openapi_url=None)
@app.post("/send-notification/{email}", response_model_exclude_unset=True)
async def send_notification(email: str, tasks: BackgroundTasks) -> dict[str, str]:
    tasks.add_task(write_notification, email, message="some notification")
    return {"message": f"sent in {time.monotonic() - start:.3f}s"}
$ pip install --upgrade 'mkdocs>=1.6,<2' && mkdocs serve --dirty -a 0.0.0.0:8000
const result = await fetch(`${base}/api/v2/items?limit=10&offset=${page * 10}`);
export default class HTTPServer<T extends Record<string, unknown>> implements IServer {}
SELECT u.id, COUNT(*) AS n FROM users u WHERE u.name LIKE '%o''brien%' GROUP BY u.id;
if (x != y && !(a <= b) || c >>> 2 === 0x1F) { return ~mask ^ flags; }
template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
<meta name="viewport" content="width=device-width, initial-scale=1.0">
pub fn parse<'a>(input: &'a str) -> Result<Vec<Token<'a>>, Box<dyn Error>> {
\tdocker run --rm -it -v "$PWD":/work ghcr.io/owner/image:latest
C++ C# F# .env --flag @app.get __init__.py ~/.ssh/config 1.8.0-rc.1 18
1_000_000 50% $9.99 a/b c\\d e|f""".splitlines()
IDENTIFIERS = [
    "response_model_exclude_unset",
    "APIRouter.include_router",
    "TableAttribute",
    "__getattr__",
    "max-age=600",
    "useState",
    "X-Forwarded-For",
    "SIGTERM",
    "0xDEADBEEF",
    "numpy.ndarray",
    "std::vector<int>",
    "$refs",
    "v1.2.3",
    "README.md",
    "k8s",
    "i18n",
    "a11y",
    "snake_case_with_many_parts",
    "camelCaseWithManyParts",
    "SCREAMING_CASE",
    "kebab-case-name",
    "πr²",
    "café_naïve",
    "ſtrange",
    "ß",
    "ŉ",
    "ﬁle",
]
ODD = [
    "",
    " ",
    "\t\r\n",
    "\x00a\x00b",
    "a\u200bb\u200cc\u200dd\ufeffe",
    "a\u00adb",
    "\ufffd",
    "a\ufffdb",
    "\u2028x\u2029y",
    "[CLS]",
    "[SEP] x [MASK]",
    "[cls] [ CLS ]",
    "[CLS][CLS]]",
    "x[UNK]y",
    "[PAD",
    "##ing",
    "a\u0085b\u00a0c\u3000d\u1680e",
    "👩\u200d👩\u200d👧\u200d👦 👍🏽 🏳️\u200d🌈 🇫🇷 1️⃣ ☎️ 🥹🫠🫨",
    "Z̡̢͇a̴l̵g̶o̷ é e\u0301 ệ e\u0323\u0302 Å Å",
    "ﷺ ﬃ ① ½ ™ Ⅳ ㎏ ｆｕｌｌ ｗｉｄｔｈ",
    "İIıi ẞß ǅ ǆ ΐ ΰ ŉ ǰ",
    "𝐇𝐞𝐥𝐥𝐨 𝟙𝟚 𐍈 𒀀 𓀀 𝄞 𞤀𞤣𞤤 🯰🯱",
    "Ꮳ ꭰ Ა ა Ɤ Ꞙ Ꟶ",
    "\ud800",
    "a\udfffb",
    "\ue000\uf8ff x\U000f0000y",
    "⹀⹁⹂⹃⹐⹝",
    "َُِ ًٌٍ",
    "क़ ख़ ড় ਖ਼ शृ",
    "각 각 ᄀ",
    "ΑΣ ΑΣ. ΑΣ' ΑΣ\u0301 Σ ΣΣ ΑΣΑ",
    "¿¡«»“”‘’„‚…–—―·•‣†‡‰′″‹›⁄⁂",
    "`a` **b** _c_ ~~d~~ <!-- e --> {{ f }} {% g %}",
    "x" * 99,
    "x" * 100,
    "x" * 101,
    "é" * 100,
    "é" * 101,
    "e\u0301" * 100,
    "a" * 1000,
    "漢" * 120,
    "𠀀" * 30,
    "ab-" * 60,
]
POOLS = {
    "latin": [*range(0x20, 0x250), *range(0x300, 0x370), *range(0x1E00, 0x1F00)],
    "greek": [*range(0x370, 0x400), *range(0x1F00, 0x2000), 0x3A3, 0x3A3, 0x20, 0x20],
    "cyrillic": [*range(0x400, 0x530), 0x20, 0x20, 0x301],
    "semitic": [*range(0x590, 0x780), 0x20, 0x20, 0x200D, 0x200F],
    "indic": [*range(0x900, 0xE00), 0x20, 0x20, 0x200C, 0x200D],
    "east": [
        *range(0x3000, 0x3100),
        *range(0x4E00, 0x4F00),
        *range(0xAC00, 0xAD00),
        *range(0x1100, 0x1200),
        0x20,
    ],
    "far east": [
        *range(0x20000, 0x20100),
        *range(0x2A6D0, 0x2A710),
        *range(0x2B810, 0x2B930),
        0x4E00,
        0x61,
        0x20,
    ],
    "symbols": [*range(0x2000, 0x2C00), *range(0xFE00, 0xFF00), *range(0x1F300, 0x1F700), 0x20],
    "controls": [
        *range(0x20),
        *range(0x7F, 0xA1),
        *range(0x200B, 0x2010),
        0xFEFF,
        0xFFFD,
        *range(0x61, 0x7B),
    ],
    "bmp": [*range(0x20, 0xD800), *range(0xE000, 0x10000)],
    "all": [*range(0x20, 0xD800), *range(0xE000, 0x110000)],
}


def texts() -> Iterator[str]:
    """At least 2,000 texts, none twice."""
    chance = random.Random(20261130)
    yield from PROSE.values()
    yield from CODE
    yield from IDENTIFIERS
    yield from ODD
    sources = [*PROSE.values(), *CODE, *ODD, " ".join(IDENTIFIERS)]
    words = [word for source in sources for word in source.split(" ") if len(word) < 60]
    for text in PROSE.values():
        yield text.upper()
        yield text.lower()
        yield text.title()
        yield text.replace(" ", "")
    for _ in range(500):  # languages and code mixed
        yield " ".join(chance.choice(words) for _ in range(chance.randint(1, 14)))
    for _ in range(300):  # a source cut anywhere, joined to another
        head, tail = chance.choice(sources), chance.choice(sources)
        yield head[chance.randrange(len(head) + 1) :][:60] + tail[: chance.randrange(len(tail) + 1)][-60:]
    for _ in range(200):  # identifiers
        joint = chance.choice(["_", ".", "-", "::", "/", "", "->"])
        yield joint.join(chance.choice(IDENTIFIERS) for _ in range(chance.randint(2, 5)))
    for _ in range(60):  # words about and far beyond the 100 characters that a word may have
        letter = chance.choice("aeéßΣя漢한𠀀\u0301")
        length = chance.choice([98, 99, 100, 101, 102, 400, 1000])
        yield "".join(chance.choice([letter, "x", "1"]) for _ in range(length))
    for pool in POOLS.values():
        for _ in range(120):
            yield "".join(chr(chance.choice(pool)) for _ in range(chance.randint(1, 24)))


def probe(code_point: int) -> str:
    """A text in which a code point stands alone and within a word."""
    return f"a{chr(code_point)}b {chr(code_point)} x"


def sweep(pieces: PieceCounter) -> list[str]:
    """A digest of the ids of `probe` for every block of code points."""
    digests = []
    for start in range(0, 0x110000, BLOCK):
        rows = pieces.ids_batch([probe(code_point) for code_point in range(start, start + BLOCK)])
        joined = ";".join(",".join(map(str, row)) for row in rows)
        digests.append(hashlib.sha256(joined.encode()).hexdigest()[:8])
    return digests


def cases() -> dict[str, object]:
    """What the file holds: [text, normalised text or null if it is the same, ids]."""
    pieces = PieceCounter(BUNDLED / "tokenizer.json")
    unique = list(dict.fromkeys(texts()))
    normalized = [normalize_for_encoder(text) for text in unique]
    return {
        "foreign": FOREIGN,
        "texts": [
            [text, None if after == text else after, ids]
            for text, after, ids in zip(unique, normalized, pieces.ids_batch(unique), strict=True)
        ],
        "block": BLOCK,
        "sweep": sweep(pieces),
    }


def main() -> None:
    """Write the file."""
    # ensure_ascii, because some texts hold half a surrogate pair.
    data = json.dumps(cases(), separators=(",", ":")).encode()
    CASES.write_bytes(gzip.compress(data, 9, mtime=0))


if __name__ == "__main__":
    main()
