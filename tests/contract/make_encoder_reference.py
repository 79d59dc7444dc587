"""Writes encoder_reference.json: sentences, and the vectors that the unquantised encoder gives for them.

    python builder/all-MiniLM-L6-v2/export_model.py FOLDER --fp32 FP32.onnx
    python tests/contract/make_encoder_reference.py FP32.onnx

`tests/builder/test_encoder.py` compares the shipped int8 weights with it. Seven decimals a number: a unit
vector's cosine is then right to six.
"""

import json
import sys
import tempfile
from pathlib import Path

from nearpage.builder.encoder import BUNDLED, Encoder

REFERENCE = Path(__file__).parent / "encoder_reference.json"

SENTENCES = [
    "How do I run something in the background after returning a response?",
    "BackgroundTasks",
    "response_model_exclude_unset=True",
    "TypeError: Object of type datetime is not JSON serializable",
    "Path Operation Configuration > Response Status Code",
    "async def read_items(q: str | None = None): return {'items': [1, 2, 3], 'q': q}",
    "pip install 'mkdocs-material[imaging]>=9.5,<10'",
    "Größere Änderungen müssen ausführlich begründet werden.",
    "¿Cómo configuro la autenticación con OAuth2 y JWT?",
    "您可以定义在返回响应后运行的后台任务。",
    "a",
    "The cat sat on the mat, and nobody wrote any documentation about it. " * 40,
]


def main() -> None:
    """Write the file."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "model.onnx").symlink_to(Path(sys.argv[1]).resolve())
        for file in ("tokenizer.json", "sentence_bert_config.json"):
            (folder / file).symlink_to(BUNDLED / file)
        encoder = Encoder(folder)
        lines = [
            json.dumps([text, [round(float(x), 7) for x in encoder.query(text)]], ensure_ascii=False)
            for text in SENTENCES
        ]
    REFERENCE.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
