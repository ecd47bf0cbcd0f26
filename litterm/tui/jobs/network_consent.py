"""Before something leaves this machine for a service of papers: who is asked, and what it is told, said once."""

from __future__ import annotations

from collections.abc import Callable

from litterm.model.services import NetworkState
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.message import Confirm

SERVICES = {
    "s2": ("Semantic Scholar", "api.semanticscholar.org"),
    "arxiv": ("arXiv", "export.arxiv.org"),
    "europepmc": ("Europe PMC", "www.ebi.ac.uk"),
    "pubmed": ("PubMed", "eutils.ncbi.nlm.nih.gov"),
    "openalex": ("OpenAlex", "api.openalex.org"),
    "acl": ("the ACL Anthology", "github.com, aclanthology.org"),
    "iclr": ("OpenReview", "api2.openreview.net"),
    "pmc": ("PubMed Central", "eutils.ncbi.nlm.nih.gov"),
}
"""By the name a command takes: how a service is called, and the host that is asked."""
OFFLINE_NOTICE = "Offline by choice: no service is asked. `offline = false` in the settings changes that."


class NetworkConsent:
    """Asked by everyone who is about to use the network."""

    def __init__(self, context: WorkbenchContext) -> None:
        self._context = context
        # With the notice switched off nothing is asked: that was the user's word on all of it.
        self._user_informed = not context.settings.network_notice

    def request(
        self, service: str, purpose: str, *, retry: Callable[[], None] | None = None, quiet: bool = False
    ) -> bool:
        """Whether the network may be used.

        The first time in a session the user is asked whether `service` may be sent `purpose`. Until that is answered
        the network may not be used; `retry` runs once the answer is yes. Where nobody does anything, as at the start,
        there is no `retry`, and the user is only told. That the network may not be used is said too, unless `quiet`.
        """
        if self._context.settings.offline:
            if not quiet:
                self._context.tell(OFFLINE_NOTICE, warn=True)
            return False
        if self._user_informed:
            return True
        sentence = f"{service[:1].upper()}{service[1:]} {purpose}. Nothing else leaves this machine."
        if retry is None:
            self._user_informed = True
            self._context.tell(f"First use of the network: {sentence}")
            return True

        def agreed(_yes: bool) -> None:
            self._user_informed = True
            retry()

        self._context.open(
            Confirm("first use of the network", sentence, self._context.glyphs, yes="go on", no="leave"), agreed
        )
        return False


def recipient_words(name: str) -> str:
    """`Semantic Scholar (api.semanticscholar.org) is sent`."""
    called, host = SERVICES.get(name, (name, ""))
    return f"{called} ({host}) is sent" if host else f"{called} is sent"


def service_label(name: str) -> str:
    """A service as people call it."""
    return SERVICES.get(name, (name, ""))[0]


def network_words(state: NetworkState, *, offline: bool) -> str:
    """The state of the network: a choice, a missing network and a service in trouble are different things."""
    if offline:
        return "offline (by setting)"
    match state.word:
        case "unused":
            return "no network used"
        case "asked":
            return "network used"
        case "online":
            return "online"
        case "no network":
            return "no network"
        case _:
            return f"{state.service} down"
