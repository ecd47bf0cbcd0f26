"""A refit of the evidence weights on a sample, so that a change of features or fit is noticed in seconds.

Where the change is meant: refit on all the data, run the `extra` tests of `test_train.py`, and write the sample anew
with `python tests/evidence_sample.py`.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from samples import every_nth_item, every_nth_line

from litterm.evidence.weights import WEIGHTS_FILE
from litterm_training import evidence

SAMPLE = Path(__file__).parent / "unit/training/evidence_sample_weights.json"
SAMPLE_SEEDS = 1
"""Fits that are averaged; the shipped weights are of more."""


def evidence_data(shared: Path) -> tuple[Path, Path, Path]:
    """The items, claims and full texts of the shipped weights."""
    data = shared / "data"
    bench = data / "bench"
    return (
        bench / "evidencebench/evidencebench.json",
        bench / "scifact-evidence/claims.jsonl.gz",
        data / "biomedical-text/fulltext.jsonl.gz",
    )


def refit(items: Path, claims: Path, texts: Path, out: Path) -> dict[str, Any]:
    """What the script writes."""
    evidence.main([str(items), "--claims", str(claims), "--restatements", str(texts), "--out", str(out)])
    fresh: dict[str, Any] = json.loads(out.read_text("utf-8"))
    return fresh


def sample_data(shared: Path, folder: Path) -> tuple[Path, Path, Path]:
    """The sample of them, as files in `folder`."""
    items, claims, texts = evidence_data(shared)
    return every_nth_item(items, 10, folder), every_nth_line(claims, 10, folder), every_nth_line(texts, 60, folder)


def main() -> None:
    """Writes the weights of the sample beside the test that compares them."""
    evidence.SEEDS = SAMPLE_SEEDS
    with TemporaryDirectory() as name:
        folder = Path(name)
        fresh = refit(*sample_data(Path(__file__).parents[2] / "shared", folder), folder / "weights.json")
    shipped = hashlib.sha256(WEIGHTS_FILE.read_bytes()).hexdigest()
    text = evidence.dump_weights({"shipped": shipped, "scores": fresh["scores"], "weights": fresh["weights"]})
    SAMPLE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
