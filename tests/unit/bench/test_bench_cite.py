"""What ships attributes citing sentences of real papers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from litterm.bench import cite
from litterm.bench.building import over
from litterm.bench.tables import read_rows
from litterm.formats.citances import citance
from litterm.formats.reader import FileReader
from litterm.model.library import Parsed, Reading
from litterm.settings.model import from_home
from litterm.tasks import run


class Until(FileReader):
    """Papers up to a year: later ones are candidates for nobody, and without them this takes half the time."""

    def __init__(self, year: int) -> None:
        super().__init__()
        self._year = year

    def read(self, path: Path, known: Callable[[str], bool]) -> Iterator[Reading]:
        for each in super().read(path, known):
            if not isinstance(each, Parsed) or (each.paper.year or self._year) <= self._year:
                yield each


def test_the_shipped_attributor_stays_above_its_floor_and_plain_bm25(shared: Path, tmp_path: Path) -> None:
    lines = (shared / "data/bench/citance-attr/citances.jsonl").read_text("utf-8").splitlines()
    citances = tmp_path / "citances.jsonl"
    citances.write_text("\n".join(lines[::4]), "utf-8")
    last = max(each.citing_year or 0 for each in read_rows(citances, citance))
    archive = shared / "data/acl-anthology-xml.tar.gz"
    methods = ["litterm", "bm25"]
    report = run(
        over(
            Until(last), archive, from_home(tmp_path), lambda subject: cite.measure(citances, subject, methods=methods)
        )
    )
    ours, plain, _ = ({metric.name: metric.mean for metric in row.metrics} for row in report.rows)
    for metric, floor in {"recall@1": 10.0, "recall@10": 28.0, "mrr": 16.0}.items():
        assert ours[metric] >= floor
        assert ours[metric] > plain[metric]
