"""What is asked of services of papers, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from litterm.model.citations.facts import NETWORK, NETWORK_NAME
from litterm.model.library import Failure, ImportReport, Parsed
from litterm.model.search import YearRange

if TYPE_CHECKING:
    from litterm.model.paper import PaperId

ANY_YEAR = YearRange()
TextKind = Literal["jats", "bioc", "html", "pdf"]
FetchOutcome = Literal["full text", "abstract only", "not open", "not found", "failed"]
"""The outcome for an id: full text stored; record stored; text not open; unknown to every service; trouble."""

CATALOGUES: Final = ("acl", "iclr", "pmc", "arxiv", "s2")
"""The services that can be synchronised, by the names that commands take."""
FINDERS: Final = ("s2", "arxiv", "europepmc", "pubmed", "openalex")
"""The services that can be searched, in the order in which they are offered."""
SERVICE_NAMES: Final[Mapping[str, str]] = {
    "acl": "the ACL Anthology",
    # Not asked: its counts ship.
    NETWORK: NETWORK_NAME,
    "arxiv": "arXiv",
    "arxiv-html": "arXiv",
    "bioc": "BioC-PMC",
    "crossref": "Crossref",
    "dblp": "DBLP",
    "europepmc": "Europe PMC",
    "iclr": "OpenReview",
    "openalex": "OpenAlex",
    "pmc": "PubMed Central",
    "pmc-cloud": "PMC Cloud",
    "pmc-oai": "PubMed Central",
    "pubmed": "PubMed",
    "s2": "Semantic Scholar",
    # As the graph of citations names it.
    "semantic-scholar": "Semantic Scholar",
    "unpaywall": "Unpaywall",
}
"""What services call themselves, by the names that litterm uses for them."""
SERVICE_HOSTS: Final[Mapping[str, str]] = {
    "acl": "github.com, aclanthology.org",
    "arxiv": "export.arxiv.org",
    "europepmc": "www.ebi.ac.uk",
    "iclr": "api2.openreview.net",
    "openalex": "api.openalex.org",
    "pmc": "eutils.ncbi.nlm.nih.gov",
    "pubmed": "eutils.ncbi.nlm.nih.gov",
    "s2": "api.semanticscholar.org",
}
"""The hosts that are asked by catalogues and finders."""


def service_name(name: str) -> str:
    """What a service calls itself, by the name that litterm uses for it; `name` for any other."""
    return SERVICE_NAMES.get(name, name)


NetworkCondition = Literal["unused", "asked", "online", "no network", "service down"]
"""`asked`: somebody was, and has not answered yet, or was not waited for."""


@dataclass(frozen=True, slots=True)
class NetworkState:
    """How the last request to a service ended."""

    word: NetworkCondition = "unused"
    service: str = ""
    """Who was asked; empty while `unused`."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Which papers of a service are wanted; what a service cannot narrow down by, it ignores."""

    query: str = ""
    years: YearRange = ANY_YEAR
    venues: tuple[str, ...] = ()
    limit: int = 0
    """Papers at most; 0: all."""


@dataclass(frozen=True, slots=True)
class ExpectedSize:
    """The expected size of a synchronisation, as far as the service states it in advance; 0: not known."""

    papers: int = 0
    bytes: int = 0
    disk_bytes: int = 0
    """Bytes on this disk that they need; 0 where that can only be reckoned from the others."""


@dataclass(frozen=True, slots=True)
class CatalogueBatch:
    """One step of a catalogue: what came, and where the next step begins."""

    items: tuple[Parsed | Failure, ...] = ()
    files: tuple[Path, ...] = ()
    """Files that came instead, to be imported like those a user names; the importer deletes them."""
    cursor: str = ""
    """Where to continue, in the source's own words; equal steps give equal cursors. Meaningless once `done`."""
    done: bool = False
    """Whether this was the last step; `cursor` is then what the next synchronisation begins behind."""
    seen: int = 0
    """Papers so far, over all steps of this synchronisation."""


@dataclass(frozen=True, slots=True)
class OpenText:
    """A full text on this disk, ready to be read."""

    path: Path
    kind: TextKind
    url: str
    """Where it came from, without secrets."""
    licence: str = ""
    """As the service states it (`CC BY`, an address); empty where it states none."""
    version: str = ""
    """`published`, `accepted`, `submitted`, or the service's own word."""
    retracted: bool = False
    """Whether the service says that the paper was retracted."""


@dataclass(frozen=True, slots=True)
class ArticleIds:
    """Every id that PubMed Central knows one article by; none where it does not have it."""

    ids: tuple[PaperId, ...] = ()
    released: str = ""
    """When its text is to be released, as the service writes dates, while it is held back; else empty."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """A collection that is kept up to date."""

    source: str
    scope: Scope
    cursor: str = ""
    """Where the next step begins."""
    complete: bool = False
    """Whether the last synchronisation came to its end."""
    synced_at: str = ""
    """UTC, ISO 8601; of the last step stored."""
    papers: int = 0
    """Papers added by all synchronisations together."""
    trouble: str = ""
    """Why the last synchronisation ended early, in one sentence; empty if it did not."""


@dataclass(frozen=True, slots=True)
class SyncReport:
    """What one synchronisation did."""

    subscription: Subscription
    report: ImportReport
    trouble: str = ""
    """Why it ended early, in one sentence; empty if it came to its end."""
    transient: bool = False
    """Whether the trouble may pass by itself."""


@dataclass(frozen=True, slots=True)
class FetchResult:
    """The result of fetching one id."""

    asked: str
    """As typed, or the id of a paper of the library."""
    outcome: FetchOutcome
    paper_id: PaperId | None = None
    """In the library; `None` where there is none."""
    title: str = ""
    via: str = ""
    """Which service gave it; `library` if it was there."""
    licence: str = ""
    version: str = ""
    """Of the full text: `published`, `preprint`, ... as `OpenText.version`; empty if unknown."""
    why: str = ""
    """One sentence where it is not what was asked for."""
    transient: bool = False
    """Whether the trouble may pass by itself."""


@dataclass(frozen=True, slots=True)
class RetryReport:
    """The result of retrying everything that failed."""

    report: ImportReport = field(default=ImportReport())
    """Of the files."""
    obtained: tuple[FetchResult, ...] = ()
    """One an id that was asked for again."""
    left: int = 0
    """Failures nothing can be done about here: the next synchronisation of their source meets them again."""
