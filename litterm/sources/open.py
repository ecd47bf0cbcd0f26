"""Settings to services: the one place that names every connector, in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from litterm.model.sources import NetworkState
from litterm.settings import Settings
from litterm.settings.secrets import Key, find_key
from litterm.sources.door import Door, DoorSettings

if TYPE_CHECKING:
    from litterm.protocols.sourcing import Catalogue, CitationLister, Finder, IdLookup, TextRoute
    from litterm.sources.idconv import IdConverter
    from litterm.sources.ncbi import Entrez
    from litterm.sources.openreview import Login, OpenReview

ELSEWHERE = "LITTERM_SERVICES"
"""Variable with an address under which every service is asked instead (`ADDRESS/s2`, ...): for tests and mirrors."""
_KEYS = {"s2": "S2_API_KEY", "ncbi": "NCBI_API_KEY", "openalex": "OPENALEX_API_KEY"}
_HOSTS = {
    "s2": "api.semanticscholar.org",
    "ncbi": "eutils.ncbi.nlm.nih.gov",
    "openalex": "api.openalex.org",
    "openreview": "openreview.net",
}


@dataclass(frozen=True, slots=True)
class Services:
    """Every connector, by what it can do; those asked first stand first."""

    door: Door
    catalogues: Mapping[str, Catalogue]
    """By name: what `litterm sync` takes."""
    finders: Mapping[str, Finder]
    lookups: tuple[IdLookup, ...]
    routes: tuple[TextRoute, ...]
    """In the order of apis.md 3.0 and 6.4: structured text before PDFs, the paper's own home before copies."""
    listers: tuple[CitationLister, ...]
    converter: IdConverter

    @property
    def network(self) -> NetworkState:
        """What the last request met with."""
        return self.door.network

    def refuse_offline(self, whom: str) -> None:
        """Raises `Offline` where nothing may leave this machine; `whom` would have been asked."""
        self.door.settings.refuse_offline(whom)


def open_services(settings: Settings, environ: Mapping[str, str], version: str) -> Services:
    """The services as `settings` and `environ` want them asked; connects to nothing."""
    from litterm.sources.acl import AclAnthology
    from litterm.sources.arxiv import Arxiv
    from litterm.sources.arxiv_text import ArxivHtml, ArxivLicences
    from litterm.sources.crossref import Crossref
    from litterm.sources.europepmc import EuropePmc
    from litterm.sources.idconv import IdConverter
    from litterm.sources.ncbi import PubMed
    from litterm.sources.openalex import OpenAlex
    from litterm.sources.pmc import PubMedCentral
    from litterm.sources.pmc_cloud import BiocPmc, PmcCloud
    from litterm.sources.pmc_oai import PmcOai
    from litterm.sources.pmc_records import PmcRecords
    from litterm.sources.semantic_scholar import SemanticScholar
    from litterm.sources.unpaywall import Unpaywall

    at = _Places(environ.get(ELSEWHERE, "").rstrip("/"))
    door = Door(
        DoorSettings(
            cache=settings.cache / "web",
            version=version,
            contact=settings.contact,
            offline=settings.offline,
            trusted=at.trusted,
        )
    )
    keys = {name: _key(settings, environ, name) for name in _KEYS}
    scholar = SemanticScholar(door, keys["s2"], **at.base("s2"))
    entrez = _entrez(door, keys["ncbi"], at)
    pmc, pubmed, europe = PubMedCentral(entrez), PubMed(entrez), EuropePmc(door, **at.base("europepmc"))
    licences = ArxivLicences(door, **at.base("arxiv-oai"))
    arxiv = Arxiv(door, licences, **at.base("arxiv"))
    html = ArxivHtml(door, licences, **at.parts("arxiv", "html", "ar5iv"))
    openalex, crossref = OpenAlex(door, keys["openalex"], **at.base("openalex")), Crossref(door, **at.base("crossref"))
    acl = AclAnthology(door, **at.parts("acl", "archive", "tree", "raw", "site"))
    iclr = _openreview(door, settings, environ, at)
    email = environ.get("UNPAYWALL_EMAIL", "") or settings.contact
    copies = (scholar, Unpaywall(door, email, **at.base("unpaywall")), openalex)
    cloud, bioc = PmcCloud(door, **at.base("pmc-cloud")), BiocPmc(door, **at.base("bioc"))
    return Services(
        door,
        catalogues={each.name: each for each in (acl, iclr, pmc, arxiv, scholar)},
        finders={each.name: each for each in (scholar, arxiv, europe, pubmed, openalex)},
        lookups=(acl, iclr, arxiv, pubmed, PmcRecords(entrez), europe, scholar, crossref, openalex),
        routes=(cloud, pmc, europe, PmcOai(door, **at.base("pmc-oai")), bioc, html, acl, arxiv, iclr, *copies),
        listers=(scholar, openalex, europe, crossref),
        converter=IdConverter(door, europe, **at.base("idconv")),
    )


class _Places:
    """Where services are asked: at home, or all under one address."""

    def __init__(self, root: str) -> None:
        self._root = root
        self.trusted = frozenset({urlsplit(root).netloc} if root else ())

    def base(self, name: str) -> dict[str, str]:
        """The keyword of a connector with one address; empty means its own."""
        return {"base": f"{self._root}/{name}"} if self._root else {}

    def parts(self, name: str, *parts: str) -> dict[str, str]:
        """Keywords of a connector with several addresses."""
        return {part: f"{self._root}/{name}/{part}" for part in parts} if self._root else {}


def _entrez(door: Door, key: Callable[[], Key], at: _Places) -> Entrez:
    from litterm.sources.ncbi import Entrez

    return Entrez(door, key, **at.base("ncbi"))


def _openreview(door: Door, settings: Settings, environ: Mapping[str, str], at: _Places) -> OpenReview:
    from litterm.sources.openreview import Login, OpenReview

    def login() -> Login:
        name = environ.get("OPENREVIEW_USERNAME", "")
        if not name:
            return Login()
        key = find_key(settings.config.parent, _HOSTS["openreview"], "OPENREVIEW_PASSWORD", environ)
        return Login(name, key.reveal() if key.is_there else "")

    bases = tuple(at.parts("iclr", "v1", "v2", "site", "lists").values())
    newest = datetime.now(UTC).year + 1
    if not bases:
        return OpenReview(door, login, newest=lambda: newest)
    v1, v2, site, lists = bases
    return OpenReview(door, login, newest=lambda: newest, bases=(v1, v2, site, lists))


def _key(settings: Settings, environ: Mapping[str, str], name: str) -> Callable[[], Key]:
    def find() -> Key:
        return find_key(settings.config.parent, _HOSTS[name], _KEYS[name], environ)

    return find
