"""`litterm bench columns`: counts by article, the worst of them, and data that cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from litterm.core.errors import BadInput
from litterm.core.tasks import run
from litterm_benchmarks.evidence.quantities import measure


def paragraph(article: str, text: str, *quantities: tuple[str, str]) -> str:
    annotations = [
        {
            "type": "Quantity",
            "text": value,
            "unit": unit,
            "start": text.index(value),
            "end": text.index(value) + len(value),
        }
        for value, unit in quantities
    ]
    return json.dumps({"id": f"{article}-1", "part": "train", "text": text, "annotations": annotations})


def test_values_and_units_are_counted_over_articles(tmp_path: Path) -> None:
    rows = (
        paragraph("A", "It was stirred for 2 h at 60 °C.", ("2 h", "h"), ("60 °C", "°C")),
        paragraph("B", "It weighed 5 mg, as Figure 3 shows.", ("5 mg", "g")),
    )
    (tmp_path / "paragraphs.jsonl").write_text("\n".join(rows))
    report = run(measure(tmp_path))
    litterm = {metric.name: metric.mean for metric in report.rows[0].metrics}
    assert (litterm["value F1"], round(litterm["value+unit F1"], 1)) == (100.0, 66.7)
    assert litterm["value+unit F1, mean of articles"] == 50.0
    assert report.n == 3
    assert "value and unit 0.0 (B)" in report.notes[0]


def test_what_is_no_paragraph_is_refused(tmp_path: Path) -> None:
    (tmp_path / "paragraphs.jsonl").write_text('{"id": "A-1"}')
    with pytest.raises(BadInput, match=r"paragraphs.jsonl:1"):
        run(measure(tmp_path))
