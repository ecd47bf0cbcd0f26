"""Settings to services: the one place that names every connector, in the order of asking, and every key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from litterm.core.settings import Settings
from litterm.core.settings.secrets import ApiKey, find_key
from litterm.model.services import NetworkState
from litterm.services.http.client import HttpClient, HttpClientSettings

if TYPE_CHECKING:
    from litterm.core.settings.secrets import ApiKey
    from litterm.interfaces.citations import CitationCounter
    from litterm.interfaces.services import Catalogue, CitationLister, Finder, IdLookup, TextRoute
    from litterm.services.model_hub import ModelHub
    from litterm.services.ncbi.entrez import Entrez
    from litterm.services.ncbi.id_converter import PmcIdConverter
    from litterm.services.openreview import OpenReview, OpenReviewLogin
    from litterm.services.unpaywall import Unpaywall

SERVICES_VARIABLE = "LITTERM_SERVICES"
"""Variable with an address under which every service is asked instead (`ADDRESS/s2`, ...): for tests and mirrors."""
_SLOWER: Final = "works without one, slower"


@dataclass(frozen=True, slots=True)
class ServiceRegistry:
    """Every connector, by what it can do, in the order of asking."""

    client: HttpClient
    catalogues: Mapping[str, Catalogue]
    """By name: what `litterm sync` takes."""
    finders: Mapping[str, Finder]
    lookups: tuple[IdLookup, ...]
    routes: tuple[TextRoute, ...]
    """Structured text before PDFs, the paper's own home before copies."""
    listers: tuple[CitationLister, ...]
    converter: PmcIdConverter
    model_hub: ModelHub
    bibliographies: tuple[Finder, ...] = ()
    """Those that find a work by its title, in the order in which a bibliography is checked with them."""
    counters: tuple[CitationCounter, ...] = ()
    """Those that know most first; the last is asked about what the others do not know."""

    @property
    def network(self) -> NetworkState:
        """The outcome of the last request."""
        return self.client.network

    def refuse_offline(self, whom: str) -> None:
        """Raises `Offline` where nothing may leave this machine; `whom` would have been asked."""
        self.client.settings.refuse_offline(whom)


def open_services(settings: Settings, environ: Mapping[str, str], version: str) -> ServiceRegistry:
    """The services as `settings` and `environ` want them asked; connects to nothing."""
    from litterm.services.acl import AclAnthology
    from litterm.services.arxiv import Arxiv, ArxivHtml, ArxivLicences
    from litterm.services.crossref import Crossref
    from litterm.services.dblp import Dblp
    from litterm.services.europepmc import EuropePmc
    from litterm.services.model_hub import ModelHub
    from litterm.services.ncbi.entrez import PmcRecords, PubMed
    from litterm.services.ncbi.id_converter import PmcIdConverter
    from litterm.services.ncbi.pmc import PubMedCentral
    from litterm.services.ncbi.pmc_articles import BiocPmc, PmcCloud, PmcOai
    from litterm.services.openalex import OpenAlex
    from litterm.services.semantic_scholar import SemanticScholar

    urls = _Urls(environ.get(SERVICES_VARIABLE, "").rstrip("/"))
    client = HttpClient(
        HttpClientSettings(
            cache=settings.cache / "web",
            version=version,
            contact=settings.contact,
            offline=settings.offline,
            trusted=urls.trusted,
        )
    )
    scholar = SemanticScholar(client, _key_lookup(SEMANTIC_SCHOLAR, settings, environ), **urls.single("s2"))
    entrez = _entrez(client, _key_lookup(NCBI, settings, environ), urls)
    pmc, pubmed, europe = PubMedCentral(entrez), PubMed(entrez), EuropePmc(client, **urls.single("europepmc"))
    licences = ArxivLicences(client, **urls.single("arxiv-oai"))
    arxiv = Arxiv(client, licences, **urls.single("arxiv"))
    html = ArxivHtml(client, licences, **urls.several("arxiv", "html", "ar5iv"))
    openalex = OpenAlex(client, _key_lookup(OPENALEX, settings, environ), **urls.single("openalex"))
    crossref = Crossref(client, **urls.single("crossref"))
    acl = AclAnthology(client, **urls.several("acl", "archive", "tree", "raw", "site"))
    iclr = _openreview(client, settings, environ, urls)
    copies = (scholar, _unpaywall(client, settings, environ, urls), openalex)
    cloud, bioc = PmcCloud(client, **urls.single("pmc-cloud")), BiocPmc(client, **urls.single("bioc"))
    return ServiceRegistry(
        client,
        catalogues={service.name: service for service in (acl, iclr, pmc, arxiv, scholar)},
        finders={service.name: service for service in (scholar, arxiv, europe, pubmed, openalex)},
        # A paper's own home first; those that gather from others last.
        lookups=(acl, iclr, arxiv, pubmed, PmcRecords(entrez), europe, scholar, crossref, openalex),
        routes=(cloud, pmc, europe, PmcOai(client, **urls.single("pmc-oai")), bioc, html, acl, arxiv, iclr, *copies),
        listers=(scholar, openalex, europe, crossref),
        converter=PmcIdConverter(client, europe, **urls.single("idconv")),
        model_hub=ModelHub(client, **urls.single("hub")),
        bibliographies=(Dblp(client, **urls.single("dblp")), crossref, openalex, scholar, arxiv),
        counters=(scholar, openalex, europe, crossref),
    )


class _Urls:
    """The addresses at which services are asked: their own, or all below one."""

    def __init__(self, root: str) -> None:
        self._root = root
        self.trusted = frozenset({urlsplit(root).netloc} if root else ())

    def single(self, name: str) -> dict[str, str]:
        """The keyword of a connector with one address; empty means its own."""
        return {"base": f"{self._root}/{name}"} if self._root else {}

    def several(self, name: str, *parts: str) -> dict[str, str]:
        """Keywords of a connector with several addresses."""
        return {part: f"{self._root}/{name}/{part}" for part in parts} if self._root else {}


def _entrez(client: HttpClient, key: Callable[[], ApiKey], urls: _Urls) -> Entrez:
    from litterm.services.ncbi.entrez import Entrez

    return Entrez(client, key, **urls.single("ncbi"))


def _unpaywall(client: HttpClient, settings: Settings, environ: Mapping[str, str], urls: _Urls) -> Unpaywall:
    from litterm.services.unpaywall import Unpaywall

    return Unpaywall(client, environ.get("UNPAYWALL_EMAIL", "") or settings.contact, **urls.single("unpaywall"))


def _openreview(client: HttpClient, settings: Settings, environ: Mapping[str, str], urls: _Urls) -> OpenReview:
    from litterm.services.openreview import OpenReview, OpenReviewLogin

    def login() -> OpenReviewLogin:
        name = environ.get(OPENREVIEW_USER_VARIABLE, "")
        # Without a name no password is looked for: a keyring may ask the user for it.
        if not name:
            return OpenReviewLogin()
        key = OPENREVIEW.find(settings, environ)
        return OpenReviewLogin(name, key.reveal() if key.is_there else "")

    bases = tuple(urls.several("iclr", "v1", "v2", "site", "lists").values())
    # Submissions for next spring are there since autumn.
    newest = datetime.now(UTC).year + 1
    if not bases:
        return OpenReview(client, login, newest=lambda: newest)
    v1, v2, site, lists = bases
    return OpenReview(client, login, newest=lambda: newest, bases=(v1, v2, site, lists))


def _key_lookup(key: ServiceKey, settings: Settings, environ: Mapping[str, str]) -> Callable[[], ApiKey]:
    return lambda: key.find(settings, environ)


@dataclass(frozen=True, slots=True)
class ServiceKey:
    """Where the key of a service is looked for."""

    service: str
    """Its name as users know it."""
    host: str
    """The host the key is for, and its entry in the keyring."""
    variable: str
    """The environment variable that holds it."""
    without: str
    """What happens without the key, in words."""

    def find(self, settings: Settings, environ: Mapping[str, str]) -> ApiKey:
        """The key from `environ`, or from where `settings` keep keys.

        Raises:
            SettingsError: where keys are kept cannot be used.
        """
        return find_key(settings.config.parent, self.host, self.variable, environ)


SEMANTIC_SCHOLAR = ServiceKey("Semantic Scholar", "api.semanticscholar.org", "S2_API_KEY", _SLOWER)
NCBI = ServiceKey("PubMed and PubMed Central", "eutils.ncbi.nlm.nih.gov", "NCBI_API_KEY", _SLOWER)
OPENALEX = ServiceKey(
    "OpenAlex", "api.openalex.org", "OPENALEX_API_KEY", "works without one, within a small daily limit"
)
OPENREVIEW = ServiceKey(
    "OpenReview", "openreview.net", "OPENREVIEW_PASSWORD", "without a login, a public copy of the lists is used"
)
SERVICE_KEYS: Final = (SEMANTIC_SCHOLAR, NCBI, OPENALEX, OPENREVIEW)
OPENREVIEW_USER_VARIABLE: Final = "OPENREVIEW_USERNAME"
"""The one service with a login instead of a key: the name is in this variable, the password is the key."""
