"""What a column asks for, read from its name: `sample size`, `data set`, `dose (mg)`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from litterm.core.errors import UsageError
from litterm.text.tokens import STOP_WORDS, words

ColumnKind = Literal["count", "quantity", "data set", "metric", "language", "years", "record year", "text"]
"""How the rules read a column; `text`: not at all, which takes a model."""

MAX_COLUMNS = 20
_MAX_NAME_CHARS = 200
_UNIT = re.compile(r"\(([^()]{1,30})\)$|\[([^\[\]]{1,30})\]$")
_NAMED_KINDS: dict[str, ColumnKind] = {
    "sample size": "count", "sample": "count", "n": "count", "participants": "count", "patients": "count",
    "number of participants": "count", "number of patients": "count", "number of subjects": "count",
    "subjects": "count", "size of sample": "count", "population size": "count",
    "data set": "data set", "data sets": "data set", "dataset": "data set", "datasets": "data set", "data": "data set",
    "corpus": "data set", "corpora": "data set", "benchmark": "data set", "benchmarks": "data set",
    "evaluation data": "data set", "training data": "data set",
    "metric": "metric", "metrics": "metric", "evaluation metric": "metric", "evaluation metrics": "metric",
    "measure": "metric", "measures": "metric", "evaluation measure": "metric",
    "language": "language", "languages": "language", "language pair": "language", "language pairs": "language",
    "years": "years", "study period": "years", "period": "years", "study years": "years", "time span": "years",
    "year": "record year", "publication year": "record year", "year of publication": "record year",
}  # fmt: skip
_QUANTITY_NOUNS = frozenset(
    "size number count rate age duration length dose dosage temperature weight time accuracy score period ratio "
    "concentration pressure percentage proportion share frequency speed velocity depth height width distance energy "
    "power voltage current mass volume density wavelength diameter radius thickness prevalence incidence sensitivity "
    "specificity auc mortality follow followup budget cost parameters epochs vocabulary kappa bleu rouge f1 f "
    "perplexity wer meteor comet chrf precision recall map mrr ndcg resolution ph bmi dimension dimensions layers "
    "batch ppl hours days weeks months quantity amount level yield efficiency".split()
)


@dataclass(frozen=True, slots=True)
class ColumnSpec:
    """A column as the rules read it."""

    name: str
    kind: ColumnKind
    terms: tuple[str, ...] = ()
    """Folded words of the name, without its unit: what stands near a quantity."""
    unit: str = ""
    """The unit that values must have: of `dose (mg)`."""


def read_column_name(typed: str) -> str:
    """A column with blanks squeezed.

    Raises:
        UsageError: it has no word, or is no name.
    """
    name = " ".join(typed.split())
    if not words(name):
        raise UsageError(f"The column {name!r} has no word; name what the papers should state, such as 'sample size'.")
    if len(name) > _MAX_NAME_CHARS:
        raise UsageError(f"A column has at most {_MAX_NAME_CHARS} characters.")
    return name


def split_columns(typed: str) -> tuple[str, ...]:
    """Columns as they are typed: divided by semicolons or lines, no two alike.

    Raises:
        UsageError: there is none, or there are more than 20.
    """
    parts = [part for line in typed.splitlines() for part in line.split(";") if part.strip()]
    names = {name.casefold(): name for name in reversed([read_column_name(part) for part in parts])}
    if not names:
        raise UsageError("Name at least one column, such as 'sample size; data set; metric'.")
    if len(names) > MAX_COLUMNS:
        raise UsageError(f"A table has at most {MAX_COLUMNS} columns.")
    return tuple(reversed(names.values()))


def column_spec(name: str) -> ColumnSpec:
    """What the column `name` asks for."""
    unit_match = _UNIT.search(name)
    unit = next((group.strip() for group in unit_match.groups() if group), "") if unit_match else ""
    bare = (name[: unit_match.start()] if unit_match else name).strip()
    folded = " ".join(words(bare))
    terms = tuple(word for word in words(bare) if word not in STOP_WORDS)
    kind = _NAMED_KINDS.get(folded)
    if kind is not None and not unit:
        return ColumnSpec(name, kind, terms)
    if terms and (unit or terms[-1] in _QUANTITY_NOUNS or terms[0] == "number"):
        return ColumnSpec(name, "quantity", terms, unit)
    return ColumnSpec(name, "text", terms)
