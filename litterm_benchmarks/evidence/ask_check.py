"""Which of the faults planted into sentences are struck out, and which true sentences are: by rule, and by a model.

Beside them stand claims that people have written about papers, with the sentences that others found for or against
them. They say more than one sentence does, which no answer may, so that many of them are rightly struck out.

The papers that the words of the rules were chosen on are left out: rules were written with every other paper of a
file, and are measured on the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from litterm.core.errors import ModelError, UsageError
from litterm.evidence.answers.llm import CheckReply, check_question
from litterm.evidence.answers.sentence_check import QuotedText, check_by_rule
from litterm.model.events import Progress
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, build_document
from litterm_benchmarks.data_rows import read_rows
from litterm_benchmarks.evidence.planted_faults import FAULTS, PlantedSentence, is_quotable, make_sentences
from litterm_benchmarks.metrics import percent
from litterm_benchmarks.readers.claims import read_claims
from litterm_benchmarks.report import BenchReport, MethodRow, Metric, SubsetScore

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.llm.model import ChatModel
    from litterm.model.llm import Question

METHODS: Final = ("rules", "model")
SENTENCES: Final = 300
SEED: Final = 36
_MAX_PAPERS: Final = 6_000
"""Of a file; more would only be read for nothing."""


@dataclass(frozen=True, slots=True)
class _Judged:
    """Whether each sentence was struck out by one method; `None` where a model gave no answer."""

    method: str
    struck: tuple[bool | None, ...]


def measure(
    paths: Sequence[Path],
    model: ChatModel | None = None,
    *,
    count: int = SENTENCES,
    seed: int = SEED,
    held_out: bool = True,
) -> Task[BenchReport]:
    """Faults caught and true sentences struck out, in percent, by kind of fault, by wording and by field.

    Of a file of claims a note says how many are struck out by rule. `model`, if any, is asked about every sentence
    beside its quote, too.

    Raises:
        BadInput: a file is not of papers with abstracts.
        UsageError: no file is given, or too few sentences can be made from them.
    """
    sentences = yield from planted(paths, count=count, seed=seed, held_out=held_out)
    of_claims = [path for path in paths if _holds_claims(path)]
    judged = [_Judged("rules", tuple(bool(check_by_rule(each.text, (each.quote,))) for each in sentences))]
    notes: list[str] = [note for path in of_claims for note in _claim_notes(path)]
    if model is not None:
        outcomes = yield from model.answer_all(questions(sentences))
        told = tuple(
            None if isinstance(outcome, ModelError) else outcome.value.fault is not None for outcome in outcomes
        )
        if failed := sum(each is None for each in told):
            notes.append(f"{model.name} gave no answer on {failed} sentences, which count as let through")
        judged.append(_Judged(model.name, told))
        both = tuple(bool(rule or other) for rule, other in zip(judged[0].struck, told, strict=True))
        judged.insert(0, _Judged(f"rules, then {model.name}", both))
    rows = tuple(_row(each, sentences) for each in judged)
    source = ", ".join(path.name for path in paths)
    return BenchReport("ask-check", source, len(sentences), rows, (*_notes(judged, sentences), *notes))


def planted(
    paths: Sequence[Path], *, count: int = SENTENCES, seed: int = SEED, held_out: bool = True
) -> Task[list[PlantedSentence]]:
    """The sentences that are judged.

    Raises:
        BadInput: a file is not of papers with abstracts.
        UsageError: no file is given, or too few sentences can be made from them.
    """
    if not paths:
        raise UsageError("bench ask-check takes files of papers with abstracts")
    quotes: dict[str, list[QuotedText]] = {}
    for path in paths:
        yield Progress(f"ask-check, {path.name}")
        if _holds_claims(path):
            continue
        quotes[path.name] = _quotes_of(path, held_out=held_out)
    made = make_sentences(quotes, count=count, seed=seed)
    if len(made) < count:
        raise UsageError(f"only {len(made)} of {count} sentences can be made from these papers")
    return made


def questions(sentences: Sequence[PlantedSentence]) -> list[Question[CheckReply]]:
    """What a model is asked: one sentence with its quote each."""
    return [check_question(each.text, [each.quote.text]) for each in sentences]


def _quotes_of(path: Path, *, held_out: bool) -> list[QuotedText]:
    """One quote of every other paper: the last sentence of its abstract that states a finding."""
    quotes: list[QuotedText] = []
    for number, (title, abstract) in enumerate(read_rows(path, _title_and_abstract)):
        if number >= _MAX_PAPERS:
            break
        if not abstract or number % 2 != held_out:
            continue
        document = build_document(
            PaperId(f"local:{number}"),
            [Block("title", title), Block("abstract", abstract)],
            origin="abstract",
            parser="ask-check-1",
        )
        found = [row.text for row in document.sentences if row.kind == "abstract" and is_quotable(row.text)]
        if found:
            quotes.append(QuotedText(found[-1], title, context=abstract))
    return quotes


def _holds_claims(path: Path) -> bool:
    return next(read_rows(path, lambda row, _number: "claim" in row), False)


def _claim_notes(path: Path) -> list[str]:
    """How many of the claims of people are struck out beside the sentences that support or contradict them."""
    struck: dict[str, list[bool]] = {"SUPPORT": [], "CONTRADICT": []}
    for pair in read_claims(path):
        if pair.rationales and pair.label in struck:
            context = " ".join(pair.sentences)
            quotes = [
                QuotedText(pair.sentences[number], pair.title, context=context) for number in sorted(pair.rationales[0])
            ]
            struck[pair.label].append(bool(check_by_rule(pair.claim, quotes)))
    shares = {label: 100 * sum(told) / max(1, len(told)) for label, told in struck.items()}
    return [
        f"{path.name}, by rule: {shares['SUPPORT']:.0f} % of {len(struck['SUPPORT'])} supported claims struck out, "
        f"{shares['CONTRADICT']:.0f} % of {len(struck['CONTRADICT'])} contradicted ones"
    ]


def _title_and_abstract(row: Mapping[str, object], _number: int) -> tuple[str, str]:
    return str(row["title"]), str(row.get("abstract") or "")


def _row(judged: _Judged, sentences: Sequence[PlantedSentence]) -> MethodRow:
    def metrics(of: Callable[[PlantedSentence], bool]) -> tuple[int, tuple[Metric, ...]]:
        pairs = [(each.fault, bool(struck)) for each, struck in zip(sentences, judged.struck, strict=True) if of(each)]
        caught = [float(struck) for fault, struck in pairs if fault]
        lost = [float(struck) for fault, struck in pairs if not fault]
        named = (("caught", caught), ("true struck out", lost))
        return len(pairs), tuple(percent(name, values) for name, values in named if values)

    parts = [
        SubsetScore("fault", kind, *metrics(lambda each, kind=kind: each.fault == kind))  # type: ignore[misc]
        for kind in FAULTS
    ]
    wordings = sorted({each.wording for each in sentences if not each.fault})
    parts += [
        SubsetScore("true, wording", name, *metrics(lambda each, name=name: not each.fault and each.wording == name))  # type: ignore[misc]
        for name in wordings
    ]
    fields = sorted({each.field for each in sentences})
    parts += [SubsetScore("field", name, *metrics(lambda each, name=name: each.field == name)) for name in fields]  # type: ignore[misc]
    return MethodRow(judged.method, metrics(lambda _: True)[1], tuple(parts))


def _notes(judged: Sequence[_Judged], sentences: Sequence[PlantedSentence]) -> list[str]:
    notes = [f"{sum(bool(each.fault) for each in sentences)} of {len(sentences)} sentences have a planted fault"]
    for each in judged:
        shares: dict[str, float] = {}
        for kind in FAULTS:
            struck = [bool(told) for told, own in zip(each.struck, sentences, strict=True) if own.fault == kind]
            if struck:
                shares[kind] = 100 * sum(struck) / len(struck)
        worst, best = min(shares, key=lambda kind: shares[kind]), max(shares, key=lambda kind: shares[kind])
        shown = f"worst kind of fault {worst}, {shares[worst]:.0f} % caught; best {best}, {shares[best]:.0f} %"
        notes.append(f"{each.method}: {shown}")
    return notes
