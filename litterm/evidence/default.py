"""The default evidence extractor, with the weights that litterm ships."""

from __future__ import annotations

from pathlib import Path

from litterm.core.errors import BadInput
from litterm.evidence.learned import LinearExtractor
from litterm.evidence.lexical import LexicalExtractor
from litterm.evidence.weights import WEIGHTS_FILE, read_weights
from litterm.interfaces import EvidenceExtractor


def open_extractor(weights: Path = WEIGHTS_FILE) -> EvidenceExtractor:
    """The fitted extractor, or H1 with a notice where the weights cannot be read."""
    try:
        return LinearExtractor(read_weights(weights).shipped)
    # A broken installation still finds evidence, and says so.
    except BadInput as error:
        return LexicalExtractor(f"{error} Sentences are ranked without weights (h1), and there is no verdict.")
