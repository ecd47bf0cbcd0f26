"""Reads columns by rules: counts, quantities, names of data sets, metrics and languages, years; no model is asked.

A value is always a stretch of one of the paper's own sentences, or of a cell of one of its tables.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING

from litterm.evidence.columns.kinds import ColumnKind, ColumnSpec
from litterm.evidence.columns.names import COUNT_NOUNS, LANGUAGES, PEOPLE_NOUNS, languages_in, metrics_in
from litterm.model.columns import ColumnSource, ColumnValue
from litterm.render.locator import locator
from litterm.text.quantities import Quantity, find_quantities
from litterm.text.tokens import stem, words

if TYPE_CHECKING:
    from litterm.library.citation_facts.names import NameTable
    from litterm.model.document import Document, Sentence, Table
    from litterm.model.paper import Paper

RULES, RECORD = "rules", "record"
"""`ColumnCell.by` of what no model has read."""
_MAX_NAMES = 8
"""Names of one cell at most: those that stand most often where the paper tells of its own work."""
_MAX_SENTENCE_CHARS = 4_000
_MAX_CHARS_BETWEEN = 45
"""Characters between the words of a column and its quantity."""
_DATA_KINDS = frozenset({"dataset", "benchmark"})
_WEIGHTS = {"abstract": 3.0, "methods": 2.0, "results": 2.0, "conclusion": 1.5, "introduction": 0.5, "discussion": 0.7}
_OTHERS_WORK = re.compile(
    r"related|previous|prior|background|literature|acknowledg|references|limitation", re.IGNORECASE
)
_OWN_COUNT = re.compile(
    r"\b(?:recruit|enrol|includ|randomi[sz]|total of|in total|sample|consist|compris|participat|collect|contain|"
    r"analy[sz]ed|surveyed|completed|assigned|annotat|final)",
    re.IGNORECASE,
)
_OTHER_COUNT = re.compile(
    r"\b(?:excluded|exclusion|withdr[ae]w|dropped out|lost to|declined|previous|et al|their study)\b", re.IGNORECASE
)
_ARM_BEFORE = re.compile(r"\b(?:groups?|arm|controls?|placebo)[,:]?\s\(?$|\([A-Z][\w-]{0,3} group, $", re.IGNORECASE)
"""Before a count of one arm alone."""
_N_BEFORE = re.compile(r"\b[nN]\s?=\s?$")
_SHARE_AFTER = re.compile(r"\s?\(\s?\d+(?:\.\d+)?\s?%|\s?of (?:the|these|those|all|them|\d)|\s?/\s?\d")
_YEARS = re.compile(
    r"(?:between|from)\s(?:[A-Z][a-z]+\s)?(?:1[89]|20)\d\d\s(?:and|to|until|through)\s(?:[A-Z][a-z]+\s)?(?:1[89]|20)\d\d"
    r"|(?<!\d)(?:1[89]|20)\d\d\s?[–-]\s?(?:(?:1[89]|20)\d\d)(?!\d)"
    r"|from\s[A-Z][a-z]+\s(?:\d{1,2},?\s)?(?:1[89]|20)\d\d\s(?:to|until|through)\s[A-Z][a-z]+\s(?:\d{1,2},?\s)?(?:1[89]|20)\d\d"
)
_OWN_YEARS = re.compile(
    r"\b(?:collect|conduct|recruit|enrol|survey|study|period|data|records?|cohort|follow)", re.IGNORECASE
)
_NAMED_DATA = re.compile(
    r"(?<![\w+.-])((?:[A-Z][\w+.-]*|\d[\w.-]*)(?: (?:[A-Z][\w+.-]*|\d[\w.-]*)){0,3})\s"
    r"([Dd]ata\s?-?[Ss]ets?|[Cc]orpus|corpora|[Tt]reebank|[Bb]enchmark|test sets?|[Dd]atabase)\b"
)
_ON_DATA = re.compile(
    r"\b(?:data|corpus|corpora|benchmark|treebank|tasks?|test set|evaluat|train|annotat|question|leaderboard)",
    re.IGNORECASE,
)
_MAX_INITIALS = 2
"""Letters of what is too short for the name of a data set."""
_OF_OTHERS = re.compile(
    r"\bet al\b|\((?:[A-Z][\w-]+[ ,&]+){1,3}(?:19|20)\d\d[a-z]?[;)]|\[\d{1,3}(?:[,–-]\s?\d{1,3})*\]"
)
_SHARE_OF_OTHERS = 0.3
"""How much a sentence with a citation weighs for names of metrics and languages, as it mostly tells of other work."""
_LEAST_NAME_WEIGHT = 0.7
"""A name below stands in such sentences alone, or once in an introduction."""
_NO_NAME = frozenset(
    "the this our we in on of for an a these those each both all new all two three and training test development dev "
    "large parallel english german french chinese standard public resulting final full other it its their dataset "
    "data first second using with from to as that such table figure section ii iii validation held-out another any "
    "unlike like existing available real gold original medical clinical".split()
)
_TIME_UNITS = frozenset(
    "s sec second seconds min mins minute minutes h hr hrs hour hours d day days wk week weeks mo month months yr yrs "
    "y year years ms decade decades".split()
)
_NARROW_COUNTS = frozenset({stem("patients")})
"""Nouns of columns that are to be counted themselves: 257 physicians are no patients."""
_EXPECTED_UNITS: dict[str, frozenset[str]] = {
    "age": frozenset(
        {"year", "years", "y", "yr", "yrs", "month", "months", "years old", "years of age", "weeks", "days"}
    ),
    "duration": _TIME_UNITS, "followup": _TIME_UNITS, "follow": _TIME_UNITS, "period": _TIME_UNITS, "time": _TIME_UNITS,
    "temperature": frozenset({"°c", "° c", "k", "°f", "℃", "ºc", "degrees celsius"}),
    "percentage": frozenset({"%", "percent", "per cent"}), "prevalence": frozenset({"%", "percent", "per cent"}),
    "proportion": frozenset({"%", "percent", "per cent", ""}), "parameters": frozenset({"parameters", ""}),
}  # fmt: skip
"""Units of which a quantity must have one, by the last word of a column."""
_COUNT_WORDS = frozenset({"number", "count", "amount", "quantity"})
_GENERIC_WORDS = _COUNT_WORDS | {"duration", "period", "time", "length", "level", "rate"}
"""Words of a column that a sentence may leave out where another is left: `median follow-up was 5.2 years`."""
_MAX_QUANTITIES = 14
"""Quantities of a sentence; one of more is a table that lost its cells."""
_LEAST_COUNT_SCORE = 3.4
"""A count below says too little of the whole sample."""


_NameFinder = Callable[[str], Iterable[tuple[str, int]]]
"""Of a sentence the names in it, each with its place."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    score: float
    value: ColumnValue


@dataclass(frozen=True)
class PaperText:
    """One paper as the rules read it."""

    document: Document
    paper: Paper

    @cached_property
    def rows(self) -> tuple[tuple[Sentence, float], ...]:
        """The sentences that tell of the paper's own work, each with a weight by its section; in reading order."""
        return tuple((row, weight) for row in self.document.sentences if (weight := self.weight_of(row)) > 0)

    def weight_of(self, row: Sentence) -> float:
        """How much a sentence tells of the paper's own work, by its section: 0 to 3."""
        if row.kind in ("heading", "table"):
            return 0.0
        if row.kind in ("title", "abstract"):
            return _WEIGHTS["abstract"]
        section = self.document.sections[row.section] if row.section < len(self.document.sections) else None
        if section is None:
            return 1.0
        if section.kind == "back" or _OTHERS_WORK.search(section.title):
            return 0.0
        return _WEIGHTS.get(section.kind, 1.0)

    @cached_property
    def quantities(self) -> tuple[tuple[Sentence, float, tuple[Quantity, ...]], ...]:
        """Sentences that state quantities, with their weights."""
        found = ((row, weight, find_quantities(row.text[:_MAX_SENTENCE_CHARS])) for row, weight in self.rows)
        return tuple(entry for entry in found if 0 < len(entry[2]) <= _MAX_QUANTITIES)

    def source(self, row: Sentence) -> ColumnSource:
        """A sentence as the source of a value."""
        return ColumnSource(row.index, row.text, locator(self.document, row), row.page)


def read_column(text: PaperText, spec: ColumnSpec, names: NameTable | None) -> tuple[ColumnValue, ...]:
    """What the rules find of a column, best first; nothing for a column of text."""
    match spec.kind:
        case "count":
            return _best(candidate for candidate in _counts(text, spec) if candidate.score >= _LEAST_COUNT_SCORE)
        case "quantity":
            return _best([*_quantities(text, spec), *_table_cells(text, spec)])
        case "years":
            return _best(_years(text))
        case "record year" | "text":
            return ()
        case "data set" | "metric" | "language":
            return _named(text, _finder(spec.kind, names), cited=spec.kind == "data set")


def _finder(kind: ColumnKind, names: NameTable | None) -> _NameFinder:
    return {"metric": metrics_in, "language": languages_in}.get(kind, partial(_data_sets, names=names))


def _best(candidates: Iterable[_Candidate]) -> tuple[ColumnValue, ...]:
    best = max(candidates, key=lambda candidate: candidate.score, default=None)
    return (best.value,) if best else ()


def _counts(text: PaperText, spec: ColumnSpec) -> Iterator[_Candidate]:
    named = {stem(term) for term in spec.terms if term in COUNT_NOUNS} & _NARROW_COUNTS
    for row, weight, quantities in text.quantities:
        for quantity in quantities:
            number = quantity.numbers[0]
            counted = words(quantity.counted)
            is_n = _N_BEFORE.search(row.text[max(0, quantity.value_start - 6) : quantity.value_start]) is not None
            noun = next((word for word in counted if word in COUNT_NOUNS), "")
            if quantity.unit or len(quantity.numbers) > 1 or number < 2 or number != int(number) or not (noun or is_n):
                continue
            near = row.text[max(0, quantity.span.start - 80) : quantity.span.end + 40]
            if named and stem(noun) not in named:
                continue
            score = weight + 0.6 * math.log10(number)
            score += 2.0 * bool(_OWN_COUNT.search(near)) + 1.0 * (noun in PEOPLE_NOUNS)
            score -= 2.0 * bool(_OTHER_COUNT.search(near)) + 1.5 * bool(_SHARE_AFTER.match(row.text, quantity.span.end))
            score -= 1.0 * is_n * (not noun) + 2.0 * (quantity.value.isalpha() and noun not in PEOPLE_NOUNS)
            score -= 1.5 * bool(_ARM_BEFORE.search(row.text[max(0, quantity.span.start - 30) : quantity.span.start]))
            yield _Candidate(score, ColumnValue(quantity.value, quantity.counted, text.source(row)))


def _quantities(text: PaperText, spec: ColumnSpec) -> Iterator[_Candidate]:
    wanted = [stem(term) for term in spec.terms if term not in _GENERIC_WORDS] or [stem(term) for term in spec.terms]
    for row, weight, quantities in text.quantities:
        places = _term_places(row.text, wanted)
        if places is None:
            continue
        for quantity in quantities:
            if not _fits(quantity, spec):
                continue
            distance = _distance(places, quantity)
            if distance <= _MAX_CHARS_BETWEEN:
                score = weight + (1.0 if quantity.unit else 0.0) - distance / 30
                unit = quantity.unit or quantity.counted
                yield _Candidate(score, ColumnValue(quantity.value, unit, text.source(row)))


def _term_places(sentence: str, wanted: Sequence[str]) -> list[tuple[int, int]] | None:
    """Where the terms of a column stand; `None` where one of them does not."""
    places: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for match in re.finditer(r"[^\W_]+", sentence[:_MAX_SENTENCE_CHARS]):
        # AGE is aged garlic extract, BLEU is what a column of that name asks for.
        if match.group().isupper() and match.group().lower() in _EXPECTED_UNITS:
            continue
        for word in words(match.group()):
            if (stemmed := stem(word)) in wanted:
                places[stemmed].append(match.span())
    return None if len(places) < len(set(wanted)) else [place for of_term in places.values() for place in of_term]


def _distance(places: Sequence[tuple[int, int]], quantity: Quantity) -> int:
    """Characters between a quantity and the nearest word of the column; words behind it count as farther."""
    return min(
        quantity.span.start - end if end <= quantity.span.start else 2 * max(0, start - quantity.span.end)
        for start, end in places
    )


def _fits(quantity: Quantity, spec: ColumnSpec) -> bool:
    """Whether a quantity can be one of the column."""
    unit = _fold_unit(quantity.unit)
    if spec.unit:
        return unit == _fold_unit(spec.unit)
    if spec.terms[0] == "number" and len(spec.terms) > 1:
        counted = {stem(word) for word in words(quantity.counted or quantity.unit)}
        return stem(spec.terms[-1]) in counted
    expected = _EXPECTED_UNITS.get(spec.terms[-1])
    if expected is not None:
        return unit in expected
    # What is counted is no rate, dose or score.
    return not quantity.counted or bool(_COUNT_WORDS.intersection(spec.terms))


def _fold_unit(unit: str) -> str:
    folded = unit.replace("µ", "μ").replace("−", "-").replace("–", "-").strip().lower()
    return {"percent": "%", "per cent": "%", "hr": "h", "hours": "h", "hour": "h", "year": "years"}.get(folded, folded)


def _years(text: PaperText) -> Iterator[_Candidate]:
    for row, weight in text.rows:
        for match in _YEARS.finditer(row.text[:_MAX_SENTENCE_CHARS]):
            own = _OWN_YEARS.search(row.text[max(0, match.start() - 100) : match.end() + 40])
            yield _Candidate(weight + 2.0 * bool(own), ColumnValue(match.group(), "", text.source(row)))


def _named(text: PaperText, find: _NameFinder, *, cited: bool) -> tuple[ColumnValue, ...]:
    """The names that `find` finds, those that weigh most first, each with the sentence that weighs most.

    `cited` says that names stand with citations also where the paper tells of its own work.
    """
    weights: defaultdict[str, float] = defaultdict(float)
    best: dict[str, tuple[float, str, Sentence]] = {}
    for row, weight in text.rows:
        found = tuple(find(row.text[:_MAX_SENTENCE_CHARS]))
        # A sentence that lists many is mostly a table that lost its cells, or tells of other work.
        weight = weight if len(found) <= _MAX_NAMES else weight / 4
        weight *= _SHARE_OF_OTHERS if not cited and _OF_OTHERS.search(row.text[:_MAX_SENTENCE_CHARS]) else 1.0
        for name, _ in found:
            key = _name_key(name)
            weights[key] += weight
            if key not in best or best[key][0] < weight:
                best[key] = (weight, name, row)
    told = (key for key, weight in weights.items() if weight >= _LEAST_NAME_WEIGHT)
    order = sorted(told, key=lambda key: -weights[key])[:_MAX_NAMES]
    return tuple(ColumnValue(best[key][1], "", text.source(best[key][2])) for key in order)


def _name_key(name: str) -> str:
    """The same for the spellings of one name: `Accuracies` and `accuracy`, `F1-score` and `F1 score`."""
    return " ".join(stem(word) for word in words(name))


def _data_sets(sentence: str, names: NameTable | None) -> list[tuple[str, int]]:
    on_data = _ON_DATA.search(sentence) is not None
    found = {
        name.text: name.start
        for name in (names.find(sentence) if names else ())
        if any(fact.kind in _DATA_KINDS for fact in name.facts)
        # Names are as often something else where nothing is said of data: ALT is an enzyme, Citrus a plant.
        and on_data
        and not name.text.islower()
    }
    for match in _NAMED_DATA.finditer(sentence):
        name_words = match[1].split()
        while name_words and name_words[0].lower() in _NO_NAME:
            name_words = name_words[1:]
        # With a capital it is a part of the name: the Penn Treebank.
        name_words += [match[2]] if name_words and match[2][0].isupper() else []
        name = " ".join(name_words).strip(" -.")
        is_name = (
            len(name) > 1
            and name not in LANGUAGES
            and any(character.isupper() for character in name)
            and name.lower() not in _NO_NAME
        )
        if is_name and not any(name in known or known in name for known in found):
            found[name] = match.start()
    return sorted(found.items(), key=lambda entry: entry[1])


def _table_cells(text: PaperText, spec: ColumnSpec) -> Iterator[_Candidate]:
    """Cells in the rows whose head names the column, or in a column whose head does where the table is small."""
    wanted = {stem(term) for term in spec.terms}
    for table in text.document.tables:
        for number, row in enumerate(table.rows):
            if row and wanted <= _stems(row[0]):
                for column in range(1, len(row)):
                    yield from _cell(text, table, number, column, spec, weight=2.5 - 0.1 * column)
        heads = table.rows[0] if table.rows else ()
        if len(table.rows) == 2:
            for column, head in enumerate(heads):
                if wanted <= _stems(head) and column < len(table.rows[1]):
                    yield from _cell(text, table, 1, column, spec, weight=2.4)


def _stems(words_of: str) -> set[str]:
    return {stem(word) for word in words(words_of)}


def _cell(
    text: PaperText, table: Table, row: int, column: int, spec: ColumnSpec, weight: float
) -> Iterator[_Candidate]:
    cell, rows = table.rows[row][column], text.document.sentences
    place = table.first_sentence + row
    quantity = next(iter(find_quantities(cell)), None)
    if quantity is None or place >= len(rows) or rows[place].kind != "table":
        return
    head = table.rows[0][column] if row and column < len(table.rows[0]) else ""
    unit = quantity.unit or _unit_of_head(table.rows[row][0]) or _unit_of_head(head)
    if spec.unit and _fold_unit(unit) != _fold_unit(spec.unit):
        return
    parts = [table.label or "Table", f"row {table.rows[row][0] or row + 1}", f"column {head or column + 1}"]
    source = ColumnSource(place, rows[place].text, ", ".join(parts), rows[place].page)
    yield _Candidate(weight, ColumnValue(quantity.value, unit, source))


def _unit_of_head(head: str) -> str:
    """The unit in the head of a row or column: `Age (years)`, `Weight, kg`."""
    match = re.search(r"[(\[]([^()\[\]]{1,12})[)\]]\s*$|,\s([^\s,]{1,12})$", head[:200])
    unit = next((group for group in match.groups() if group), "") if match else ""
    return unit if unit and find_quantities(f"1 {unit}") and find_quantities(f"1 {unit}")[0].unit == unit else ""
