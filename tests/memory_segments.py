"""A library cut into segments, in memory: what retrieval is tested on."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from litterm.core.errors import SegmentGone
from litterm.library.index.full_text import FullTextIndex
from litterm.library.index.segment_index import SegmentIndex
from litterm.library.index.static_embeddings import StaticModel
from litterm.library.index.title_author_stats import TitleAuthorIndex
from litterm.library.index.vectors import Vectors
from litterm.model.index import index_row
from litterm.model.library import RowRef, Segment, Snapshot
from litterm.model.paper import Author, Paper, PaperId
from litterm_benchmarks.memory_library import MemoryIndex, MemoryLibrary

AVERAGE = 12.0
_WORDS = (
    "parser tree grammar translation model language neural network data corpus speech sense summary question "
    "answer retrieval citation evidence graph attention transfer learning word embedding"
).split()


class MemorySegments(MemoryLibrary):
    """`interfaces.Library` and `IndexReader` in one, over segments of papers."""

    def __init__(
        self,
        segments: Sequence[Sequence[Paper]],
        *,
        shadowed: Sequence[tuple[int, ...]] = (),
        average: float = AVERAGE,
        model: StaticModel | None = None,
    ) -> None:
        super().__init__(())
        self.segments = {f"s{at}": tuple(papers) for at, papers in enumerate(segments)}
        hidden = [*shadowed, *[()] * len(segments)]
        self._index = {
            key: MemoryIndex(map(index_row, papers), average_length=average, model=model)
            for key, papers in self.segments.items()
        }
        self.read = 0
        """Texts fetched so far."""
        self.gone = 0
        """How often opening a part still fails."""
        self.current = Snapshot(
            1,
            tuple(
                Segment(key, Path(key), len(papers), hidden[at])
                for at, (key, papers) in enumerate(self.segments.items())
            ),
        )

    def snapshot(self) -> Snapshot:
        return self.current

    def papers(self, snapshot: Snapshot, rows: Sequence[RowRef]) -> tuple[Paper, ...]:
        return tuple(self.segments[ref.segment][ref.row] for ref in rows)

    def texts(self, snapshot: Snapshot, rows: Sequence[RowRef]) -> tuple[tuple[str, str], ...]:
        self.read += len(rows)
        return super().texts(snapshot, rows)

    def author_rows(self, snapshot: Snapshot, names: Sequence[str]) -> tuple[tuple[RowRef, ...], ...]:
        return tuple(self._rows_of(name) for name in names)

    def _rows_of(self, name: str) -> tuple[RowRef, ...]:
        return tuple(
            RowRef(key, row)
            for key, papers in self.segments.items()
            for row, paper in enumerate(papers)
            if any(name.casefold() in f"{each.given} {each.family}".casefold() for each in paper.authors)
        )

    def keywords(self, segment: Segment) -> Mapping[int, tuple[str, ...]]:
        return {row: paper.keywords for row, paper in enumerate(self.segments[segment.key]) if paper.keywords}

    def added_times(self, segment: Segment) -> Sequence[int]:
        stamps = (paper.provenance.imported_at for paper in self.segments[segment.key])
        return [int(datetime.fromisoformat(stamp).timestamp()) if stamp else 0 for stamp in stamps]

    def part(self, segment: Segment) -> SegmentIndex:
        if self.gone:
            self.gone -= 1
            raise SegmentGone("compacted away")
        return self._index[segment.key].part(segment)

    def vectors(self, segment: Segment) -> Vectors | None:
        return self._index[segment.key].vectors(segment)

    def bodies(self, segment: Segment) -> FullTextIndex | None:
        return self._index[segment.key].bodies(segment)

    def title_index(self, segment: Segment) -> TitleAuthorIndex:
        return self._index[segment.key].title_index(segment)

    def check(self, segments: Sequence[Segment]) -> None:
        return None


def cut(papers: Sequence[Paper], size: int, *, average: float = AVERAGE) -> MemorySegments:
    """`papers` in segments of `size`."""
    return MemorySegments([papers[at : at + size] for at in range(0, len(papers), size)], average=average)


def papers(count: int, seed: int = 1) -> list[Paper]:
    """Made-up papers with ids in no order, many equal scores among them."""
    chance = random.Random(seed)
    made = []
    for number in chance.sample(range(10 * count), count):
        made.append(
            Paper(
                PaperId(f"{chance.choice(('acl', 'iclr', 'arxiv'))}:{number}"),
                " ".join(chance.choices(_WORDS, k=chance.choice((3, 3, 4)))),
                abstract=" ".join(chance.choices(_WORDS, k=chance.choice((0, 0, 12)))),
                authors=(Author(chance.choice(("Lee", "Øye", "Abe")), "Ann"),) if chance.random() < 0.8 else (),
                year=chance.choice((None, 1999, 2019, 2020, 2021)),
                venue_keys=chance.choice((("acl",), ("emnlp", "conll"), ())),
                type=chance.choice(("inproceedings", "article")),
                decision=chance.choice(("", "accept", "reject")),
                full_text=chance.random() < 0.3,
            )
        )
    return [replace(paper, date=str(paper.year) if paper.year else "") for paper in made]
