"""What a recorded search gives now, beside what it gave: as sentences and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypedDict

from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.model.search_record import ListChange, Rerun, SearchRecord, SearchState
    from litterm.render.lines import LineOptions


class ThenAndNowData(TypedDict):
    """A number of the recorded search, and of the same search now."""

    then: int
    now: int


class ListChangeData(TypedDict):
    """A paper that is listed now and was not, or the other way round; `rank` is where it is or was listed."""

    id: str
    title: str
    rank: int
    reason: str


class LeftListData(ListChangeData):
    """A paper that is no longer listed; `shown_in`: the record that it is part of now."""

    shown_in: str | None


class MovedPaperData(ThenAndNowData):
    """A paper that is listed at another rank."""

    id: str


class RerunChangeData(TypedDict):
    """What a search depends on and is not as it was."""

    what: str
    sentence: str


class LibraryChangeData(TypedDict):
    """How many papers of the library are new, changed or gone."""

    added: int
    changed: int
    removed: int


class RerunData(TypedDict):
    """The answer of `rerun`."""

    same: bool
    query: str
    date: str
    found: ThenAndNowData
    count: ThenAndNowData
    entered: list[ListChangeData]
    left: list[LeftListData]
    moved: list[MovedPaperData]
    changes: list[RerunChangeData]
    library: LibraryChangeData | None
    not_repeated: list[str]
    ids: list[str]


_MAX_LINES = 20
"""Papers of one kind of change that are listed; JSON has all."""


def rerun_lines(rerun: Rerun, options: LineOptions) -> list[str]:
    """The result in a line, then which papers of the list differ, then what has changed since."""
    record = rerun.record
    found = count_phrase(record.found, "paper")
    if rerun.is_same:
        verdict = f"The same: {found} found, and the same {len(rerun.ids):,} listed in the same order."
    else:
        verdict = (
            f"Changed: {found} found then, {rerun.found:,} now; of {len(record.repeatable_ids):,} listed then and "
            f"{len(rerun.ids):,} now, {len(rerun.entered):,} new, {len(rerun.left):,} no longer listed, "
            f"{len(rerun.moved):,} at another rank."
        )
    lines = [options.text(f"“{record.request.query.text}”, {record.date}"), options.text(verdict)]
    lines += _listed("listed now", [_change_line(change, _entered(change)) for change in rerun.entered])
    lines += _listed("no longer listed", [_change_line(change, _left(change)) for change in rerun.left])
    lines += _listed("moved", [f"{move.then:>5} -> {move.now}  {move.paper}" for move in rerun.moved])
    changes = [sentence for _, sentence in _changes(rerun)]
    if changes:
        lines += ["changed since", *(f"  {sentence}" for sentence in changes)]
    elif not rerun.is_same:
        lines.append("Nothing of what a record holds has changed; marks, tags, citation counts or settings may have.")
    return [options.text(line) for line in lines]


def not_repeated(record: SearchRecord) -> tuple[str, ...]:
    """What a model had a part in, each in a sentence that says what is done without one."""
    request, sentences = record.request, []
    if record.ordered_by:
        sentences.append(
            f"The order by {record.ordered_by} cannot be repeated without the model; the local order before it is "
            "compared."
        )
    if request.rewrite is not None and request.rewrite.by:
        sentences.append(f"The other queries, written by {request.rewrite.by}, are searched as they were recorded.")
    if request.aspects is not None and request.aspects.is_by_model:
        sentences.append(f"The aspects, split by {request.aspects.by}, are used as they were recorded.")
    return tuple(sentences)


def rerun_data(rerun: Rerun) -> RerunData:
    """The comparison as JSON."""
    record = rerun.record
    return {
        "same": rerun.is_same,
        "query": record.request.query.text,
        "date": record.date,
        "found": {"then": record.found, "now": rerun.found},
        "count": {"then": len(record.repeatable_ids), "now": len(rerun.ids)},
        "entered": [_change_data(change) for change in rerun.entered],
        "left": [{**_change_data(change), "shown_in": change.shown_in} for change in rerun.left],
        "moved": [{"id": move.paper, "then": move.then, "now": move.now} for move in rerun.moved],
        "changes": [{"what": what, "sentence": sentence} for what, sentence in _changes(rerun)],
        "library": None
        if rerun.library is None
        else {
            "added": rerun.library.added,
            "changed": rerun.library.changed,
            "removed": rerun.library.removed,
        },
        "not_repeated": list(not_repeated(record)),
        "ids": list(rerun.ids),
    }


def _change_data(change: ListChange) -> ListChangeData:
    return {"id": change.paper, "title": change.title, "rank": change.rank, "reason": change.reason}


def _listed(title: str, rows: Sequence[str]) -> list[str]:
    if not rows:
        return []
    more = [f"  ... and {len(rows) - _MAX_LINES:,} more; --json lists all"] if len(rows) > _MAX_LINES else []
    return [title, *rows[:_MAX_LINES], *more]


def _change_line(change: ListChange, reason: str) -> str:
    title = f"  {change.title}" if change.title else ""
    return f"{change.rank:>5}  {change.paper}  {reason}{title}"


def _entered(change: ListChange) -> str:
    return "added to the library since" if change.reason == "added" else "was in the library, below the limit"


def _left(change: ListChange) -> str:
    match change.reason:
        case "gone":
            return "no longer in the library, or removed"
        case "merged":
            return f"now part of {change.shown_in}"
        case _:
            return "in the library, not among those listed"


def _changes(rerun: Rerun) -> Iterator[tuple[str, str]]:
    """What a search depends on and is not as it was: a word for programs, and a sentence."""
    then, now = rerun.record.state, rerun.state
    if then.litterm != now.litterm:
        yield "litterm", f"litterm was {then.litterm} and is {now.litterm}."
    if rerun.library is not None:
        change = rerun.library
        yield (
            "library",
            f"The library had {count_phrase(then.library.papers, 'paper')} and has {now.library.papers:,}: "
            f"{change.added:,} added, {change.changed:,} changed or joined with another record, "
            f"{change.removed:,} removed or merged into another.",
        )
    yield from _other_changes(then, now, by_marks=bool(_names_marks(rerun)))


def _other_changes(then: SearchState, now: SearchState, *, by_marks: bool) -> Iterator[tuple[str, str]]:
    if then.full_texts != now.full_texts:
        yield "full_texts", f"{then.full_texts:,} papers had a full text, {now.full_texts:,} have one."
    if then.reference_lists != now.reference_lists:
        yield (
            "reference_lists",
            f"Citations were read from {count_phrase(then.reference_lists, 'reference list')}, now from "
            f"{now.reference_lists:,}.",
        )
    if then.facts != now.facts:
        yield "citation_facts", "The citation facts that come with litterm are others."
    if then.semantic_model != now.semantic_model:
        yield "semantic_model", f"The semantic model was {then.semantic_model} and is {now.semantic_model}."
    # It is searched only while there are no papers of the user's own.
    if then.starter != now.starter and not (then.library.papers and now.library.papers):
        yield "starter", "The starter library is another one, or is shown only now, or no longer."
    if then.encoder != now.encoder:
        yield "encoder", f"The encoder was {_encoder(then)} and is {_encoder(now)}."
    if by_marks and then.project != now.project:
        yield (
            "project",
            (
                "The query asks for what you keep of papers, and the project was "
                f"{then.project or 'the default one'} and is {now.project or 'the default one'}."
            ),
        )


def _names_marks(rerun: Rerun) -> bool:
    from litterm.model.search import nested_filters

    query = rerun.record.request.query
    return any(filters.required_names for filters in nested_filters((query.filters, *query.conditions)))


def _encoder(state: SearchState) -> str:
    encoder = state.encoder
    if encoder is None:
        return "none"
    return f"{encoder.name} ({encoder.fingerprint}, {count_phrase(encoder.encoded, 'paper')} encoded)"
