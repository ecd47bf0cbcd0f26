"""The bench of the likely stance: what is told and right of each set, and the fit that leaves the set out."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from samples import every_nth_line

from litterm.core.errors import UsageError
from litterm.core.tasks import run
from litterm_benchmarks.evidence import full_text_stance
from litterm_benchmarks.evidence.stance import METHODS, measure
from litterm_benchmarks.report import BenchReport, as_json, as_lines

NAMES = "zinc iron copper magnesium selenium iodine calcium potassium".split()
OTHERS = [
    "Half of them were given a tablet every morning.",
    "The weather was fine on most of the days.",
    "Nothing else of interest was ever seen by anybody there.",
]


def written(folder: Path, *, title: str, label_of_wrong: str = "CONTRADICT") -> Path:
    """Eight records, each with its claim, and with a claim of the opposite direction."""
    folder.mkdir()
    rows = []
    for number, name in enumerate(NAMES):
        sentence = f"We found that {name} increased the duration of colds by two days."
        for verb, label in (("increases", "SUPPORT"), ("reduces", label_of_wrong)):
            rows.append(
                {
                    "id": f"{folder.name} {number} {verb}",
                    "claim": f"{name.title()} {verb} the duration of colds.",
                    "paper": f"local:{folder.name}-{number}",
                    "title": title,
                    "sentences": [sentence, *OTHERS],
                    "label": label,
                    "rationales": [] if label == "NONE" else [[0]],
                }
            )
    path = folder / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def figures(report: BenchReport, method: str, name: str) -> dict[str, float]:
    row = next(row for row in report.rows if row.method == method)
    part = next(part for part in row.parts if part.value == name)
    return {metric.name: metric.mean for metric in part.metrics}


def test_every_set_is_told_by_what_ships_and_by_the_fit_on_the_others(tmp_path: Path) -> None:
    paths = [written(tmp_path / "one", title="A trial"), written(tmp_path / "two", title="")]
    report = run(measure(paths))
    assert [row.method for row in report.rows] == list(METHODS)
    shown = figures(report, "litterm", "one")
    assert (shown["told"], shown["right"], shown["share"], shown["stance auc"]) == (16, 16, 100, 100)
    # No pair is without evidence: there is nothing to tell the others from.
    assert math.isnan(shown["auc"])
    untitled = figures(report, "litterm", "two")
    assert (untitled["told"], untitled["right"]) == (0, 0)
    assert math.isnan(untitled["share"])
    left_out = figures(report, "left out", "two")
    assert (left_out["told"], left_out["right"]) == (16, 16)
    assert "  -  " in "\n".join(as_lines(report))
    assert "NaN" not in json.dumps(as_json(report))


def test_what_is_told_of_a_pair_without_evidence_is_wrong(tmp_path: Path) -> None:
    paths = [
        written(tmp_path / "one", title="A trial", label_of_wrong="NONE"),
        written(tmp_path / "two", title="A trial"),
    ]
    shown = figures(run(measure(paths)), "litterm", "one")
    assert (shown["told"], shown["right"], shown["share"]) == (16, 8, 50)
    assert not math.isnan(shown["auc"])


def test_one_set_cannot_be_left_out_of_itself(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="two or more"):
        run(measure([written(tmp_path / "one", title="A trial")]))


@pytest.mark.parametrize(
    ("steps", "told"), [((2, 8, 8), 25), pytest.param((1, 1, 1), 49, marks=pytest.mark.extra, id="all")]
)
def test_what_ships_is_right_where_it_tells_and_silent_elsewhere(
    shared: Path, tmp_path: Path, steps: tuple[int, ...], told: int
) -> None:
    files = ("bench/scifact-evidence/claims", "bench2/covidfact/pairs", "bench2/healthver/pairs")
    paths = [
        every_nth_line(shared / f"data/{file}.jsonl.gz", step, tmp_path)
        for file, step in zip(files, steps, strict=True)
    ]
    report = run(measure(paths))
    abstracts = figures(report, "litterm", "scifact-evidence")
    assert abstracts["told"] >= told
    assert abstracts["share"] >= 90
    assert [figures(report, "litterm", name)["told"] for name in ("covidfact", "healthver")] == [0, 0]


def test_full_texts_are_told_beside_sets_of_claims(tmp_path: Path) -> None:
    rows = []
    for number, (name, other) in enumerate((("Zinc", "iron"), ("Copper", "selenium"))):
        conclusion = f"{name} tablets reduced the duration of colds in children of the valley."
        body = f"The {other} of the soil was measured at every farm in spring. " * 12
        rows.append(
            {
                "id": f"local:{number}",
                "title": f"A trial of {name.lower()}",
                "abstract": f"Colds are common. Children were given tablets for a year. Nobody left. {conclusion}",
                "sections": [
                    {"title": "Methods", "text": body},
                    {"title": "Results", "text": body},
                    {"title": "Discussion", "text": f"{body} {conclusion} {body}"},
                ],
            }
        )
    texts = tmp_path / "texts" / "full.jsonl"
    texts.parent.mkdir()
    texts.write_text("".join(json.dumps(row) + "\n" for row in rows))
    report = run(measure([written(tmp_path / "one", title="A trial"), texts]))
    assert [row.method for row in report.rows] == list(full_text_stance.METHODS)
    shown = figures(report, "full texts", "texts")
    # Of either paper its own conclusion, the same the other way and denied; nothing of the other's conclusion.
    assert (shown["told"], shown["right"]) == (6, 6)
    assert figures(report, "full texts", "another paper's")["told"] == 0
