"""Consent before anything is sent to an online service: says once a session who receives what."""

from __future__ import annotations

from collections.abc import Callable

from litterm.model.services import SERVICE_HOSTS, NetworkState, service_name
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.message import ConfirmDialog

OFFLINE_NOTICE = "Offline by choice: no service is asked. `offline = false` in the settings changes that."


class NetworkConsent:
    """Asks the user once a session whether the network may be used."""

    def __init__(self, context: WorkbenchContext) -> None:
        self._context = context
        # With the notice switched off nothing is asked: that was the user's word on all of it.
        self._user_informed = not context.settings.network_notice

    def request(
        self, service: str, purpose: str, *, retry: Callable[[], None] | None = None, quiet: bool = False
    ) -> bool:
        """Whether the network may be used now; asks the user first if necessary.

        The first time in a session the user is asked whether `service` may be sent `purpose`. Until they answer, the
        result is False; `retry` runs if they agree. Without `retry`, as at the start, the user is only notified and
        the result is True. If the network is switched off, a notice says so, unless `quiet`.
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

        def on_consent(_yes: bool) -> None:
            self._user_informed = True
            retry()

        self._context.open(
            ConfirmDialog("first use of the network", sentence, self._context.glyphs, yes="go on", no="leave"),
            on_consent,
        )
        return False


def recipient_words(name: str) -> str:
    """`Semantic Scholar (api.semanticscholar.org) is sent`."""
    host = SERVICE_HOSTS.get(name)
    return f"{service_name(name)} ({host}) is sent" if host else f"{service_name(name)} is sent"


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
