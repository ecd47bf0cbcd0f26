"""ACL-rlg: do the papers of a tutorial's reading list come for the keywords that ask for it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from litterm.bench.cases import Case, Target, limited
from litterm.bench.holdings import found
from litterm.bench.report import Report
from litterm.bench.retrieval import chosen, rankings, rows
from litterm.bench.subject import DEPTH, RERANK, Subject
from litterm.bench.tables import read_rows
from litterm.bench.training_overlap import overlap_note
from litterm.errors import UsageError
from litterm.formats.readinglists import ReadingList, read_published, reading_list
from litterm.model.paper import PaperId
from litterm.tasks import Task


def measure(path: Path, subject: Subject, *, methods: Sequence[str] = (), until: int | None = None) -> Task[Report]:
    """Each annotator's keywords by plain search, papers up to the tutorial's year, without the tutorial's own.

    `path` is a file with one list a line, or the folder as published.

    Raises:
        BadInput: the file is not in the expected form.
        UsageError: no list has a reference in the Anthology, or a method is not known.
    """
    wanted = chosen({"litterm": subject.search, "bm25": subject.plain}, methods, {RERANK: subject.reranked})
    read = read_published(path) if path.is_dir() else read_rows(path, reading_list)
    lists = [each for each in read if each.in_acl and each.queries]
    if not lists:
        raise UsageError(f"{path} holds no reading list with a reference in the Anthology")
    asked = cases(lists, subject, until)
    told = yield from rankings(asked, wanted)
    notes = (
        f"{len(lists)} lists, each asked for by every annotator; mrr and map over the first {DEPTH} results",
        "relevant are the references flagged in_acl, whether or not this library holds them",
        overlap_note(asked, subject.holdings),
    )
    return Report("acl-rlg", path.name, len(asked), rows(asked, told, subject.holdings), notes)


def cases(lists: Sequence[ReadingList], subject: Subject, until: int | None) -> list[Case]:
    """One case an annotator and list."""
    own = found(subject.library, [each.key for each in lists])
    made: list[Case] = []
    for each, itself in zip(lists, own, strict=True):
        year = limited(each.year, until)
        targets = subject.holdings.candidates(_targets(each, subject), year)
        made += [
            Case(
                key=f"{each.key} {annotator}",
                query=keywords,
                targets=targets,
                cluster=each.key,
                parts=(("annotator", annotator),),
                until=year,
                exclude=itself,
            )
            for annotator, keywords, _ in each.queries
        ]
    return made


def _targets(each: ReadingList, subject: Subject) -> list[Target]:
    """Per reference the papers with its Anthology key or its title."""
    keys = found(subject.library, [f"acl:{reference.acl}" if reference.acl else "" for reference in each.in_acl])
    titled = subject.library.titled([reference.title for reference in each.in_acl])
    return [by_key | frozenset[PaperId](by_title) for by_key, by_title in zip(keys, titled, strict=True)]
