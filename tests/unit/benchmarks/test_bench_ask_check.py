"""The bench of checks: how sentences are made from quotes, and what is printed of those struck out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from litterm.core.errors import UsageError
from litterm.core.tasks import run
from litterm_benchmarks.evidence.ask_check import measure, planted
from litterm_benchmarks.evidence.planted_faults import FAULTS, count_by_fault
from litterm_benchmarks.report import as_lines

SENTENCE = (
    "{first}he {name} model outperforms the {other} system by {number}.{digit} % on German–English data (of the"
    " test set) and may increase recall of {group} after {number} weeks."
)


@pytest.fixture
def papers(tmp_path: Path) -> Path:
    """Papers whose abstracts end in a finding that every fault can be planted into."""
    groups = ("adults", "children", "mice", "women")
    rows = [
        {
            "id": f"local:{number}",
            "title": f"Paper {number}",
            "abstract": "We ran an experiment in the spring. "
            + SENTENCE.format(
                first="In spring, t" if number // 2 % 2 else "T",
                group=groups[number % 4],
                name=f"Alpha{number}",
                other=f"Beta{number}",
                number=number + 13,
                digit=4,
            ),
        }
        for number in range(160)
    ]
    path = tmp_path / "papers.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def test_half_of_the_sentences_have_a_fault_and_the_same_seed_makes_the_same(papers: Path) -> None:
    made = run(planted([papers], count=64))
    counts = count_by_fault(made)
    assert counts[""] == 32 and {counts[kind] for kind in FAULTS} == {4}
    assert all(each.text != each.quote.text for each in made)
    assert len({each.quote.title for each in made}) == 64
    assert run(planted([papers], count=64)) == made != run(planted([papers], count=64, seed=1))


def test_every_kind_of_fault_has_its_share_printed_with_the_worst_beside_the_best(papers: Path) -> None:
    report = run(measure([papers], count=64))
    caught, lost = report.rows[0].metrics
    assert (caught.name, lost.name) == ("caught", "true struck out")
    assert caught.mean >= 40 and lost.mean <= 5
    assert [part.value for part in report.rows[0].parts][: len(FAULTS)] == list(FAULTS)
    assert any("worst kind of fault" in line and "best" in line for line in as_lines(report))


def test_too_few_papers_are_refused(tmp_path: Path) -> None:
    few = tmp_path / "few.jsonl"
    few.write_text(json.dumps({"id": "local:1", "title": "T", "abstract": "We show that naps improve memory."}))
    with pytest.raises(UsageError, match="sentences can be made"):
        run(measure([few]))
