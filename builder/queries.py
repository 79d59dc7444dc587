"""How the queries of an index become vectors in the space of its codes."""

from pathlib import Path

from nearpage.builder.encoder import BUNDLED, Encoder
from nearpage.builder.errors import EncoderError
from nearpage.builder.ranking import Encode, Mode
from nearpage.builder.reader import Index
from nearpage.builder.vectors import blending, projecting


def query_encoder(index: Index, mode: Mode, folder: Path | None = None) -> Encode | None:
    """The encoder of an index's rung, if a mode needs it; `folder` is that of another than the bundled.

    Queries go to the model that the index brings, as in the browser.
    Raises EncoderError for another encoder than that of the index.
    """
    vectors, files = index.manifest.vectors, index.manifest.encoder
    if mode == "lexical" or vectors is None:
        return None
    if index.rung == "light":
        return index.light_encoder().query
    encoder = Encoder(folder or BUNDLED)
    if files is None or encoder.config.dims != files.dims or encoder.config.fingerprint != vectors.encoder:
        made_by = f"{files.name} ({files.dims} dimensions, {vectors.encoder})" if files else "another encoder"
        raise EncoderError(
            f"the index's vectors come from {made_by}, not from {encoder.folder} ({encoder.config.dims}, "
            f"{encoder.config.fingerprint}); give its folder with --encoder, or build the index again"
        )
    encoder.take_query_model(index.folder / files.model.file)
    encode = projecting(encoder.query, index.projection())
    return blending(encode, index.light_encoder().query, files.light_share) if files.light_share else encode
