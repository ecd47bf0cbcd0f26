"""What the field knows about its papers: the names that stand for them, who cites them, and what is said of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from litterm.model.paper import PaperId

NETWORK_YEAR = 2012
"""The last year of the papers in the ACL Anthology Network, whose edges and counts ship."""
NETWORK: Final = "acl-network"
"""The source of its counts, and of an edge that is known from nowhere else."""
NETWORK_NAME = f"ACL Anthology Network, to {NETWORK_YEAR}"
NETWORK_SHORT_NAME = f"to {NETWORK_YEAR}"
PUBLIC_LISTS: Final = "public-lists"
"""The source of the other edges that ship: reference lists of later papers, which are public."""
SHIPPED_SOURCES: Mapping[str, str] = {NETWORK: NETWORK_NAME, PUBLIC_LISTS: "public reference lists"}
"""The names of the sources of shipped edges, as they are shown."""
SHIPPED_NAMES = " and ".join(SHIPPED_SOURCES.values())

FactsBuild = Literal["full", "bench"]
"""`full` for users; `bench` leaves out the papers of benchmarks, and every figure is measured with it."""

NameUsage = Literal["coined", "words", "topic"]
"""Whether the words of a name were in use before the paper: hardly, each of them, or all of them for a topic."""
NAME_USAGES: tuple[NameUsage, ...] = ("coined", "words", "topic")
"""In the order in which files number them."""


@dataclass(frozen=True, slots=True)
class FactSource:
    """A public collection that facts were taken from."""

    key: str
    """As the facts name it: `huggingface/datasets@2.0.0`."""
    name: str
    """As it is shown: `Hugging Face data sets`."""
    licence: str
    """As the collection states it: `Apache-2.0`; `none stated` where it states none."""
    commit: str = ""
    """The version that was read."""


@dataclass(frozen=True, slots=True)
class NameFact:
    """A name, and the paper that introduced what it is the name of."""

    name: str
    """As it is written: `SQuAD`."""
    kind: str
    """`dataset`, `benchmark`, `model`, `method`, `metric`, `tool`, `cited name` or `term`."""
    ids: tuple[PaperId, ...]
    """Ids of the paper, the most telling first; none where only its title is known."""
    title: str
    year: int | None
    first_author: str
    """Family name; empty where unknown."""
    sources: tuple[str, ...]
    """Names of the collections that say so, as they are shown."""
    rivals: int = 0
    """How many other papers the name also stands for, as far as the sources know."""
    usage: NameUsage = "coined"
    texts: int = 0
    """How many of the user's own texts hold the name right before a mark of the paper; 0 where only others say so."""


@dataclass(frozen=True, slots=True)
class FieldCount:
    """How often a collection says that a paper is cited."""

    count: int
    as_of: int
    """The last year of the citing papers that were counted."""


@dataclass(frozen=True, slots=True)
class CitedProfile:
    """The words that stand near the marks of a paper in the texts of others."""

    texts: int
    """Texts that cite it."""
    stems: Mapping[str, int]
    """Stem (as `litterm.text.tokens` makes it) and the number of these texts that hold it near a mark; 2 or more."""
