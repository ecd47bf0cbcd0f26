"""Checks the setup for online services: keys, contact, proxy, cached answers; no service is asked."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from litterm.cli.diagnostics.machine import Diagnosis, with_hint
from litterm.core.errors import SettingsError
from litterm.core.settings import Settings
from litterm.services.registry import OPENREVIEW, OPENREVIEW_USER_VARIABLE, SERVICE_KEYS, ServiceKey

_CONTACT_HINT = "set `contact` to your e-mail address: services slow down or refuse clients without one"
_PROXY_HINT = (
    "the proxy resolves names, so litterm can only check numeric addresses:"
    " a name that leads into this network would be opened"
)


def check_services(settings: Settings, environ: Mapping[str, str]) -> Iterator[Diagnosis]:
    """The findings on services; a key itself is never shown."""
    state = "offline (by setting)" if settings.offline else "may be asked"
    yield Diagnosis("services", "network", state, where=settings.sources.of("offline"))
    for service_key in SERVICE_KEYS:
        yield _check_key(service_key, settings, environ)
    email = "UNPAYWALL_EMAIL" if environ.get("UNPAYWALL_EMAIL", "").strip() else "contact"
    has_email = bool(settings.contact) or email != "contact"
    contact = settings.contact or "not set"
    yield with_hint(Diagnosis("services", "contact", contact), _CONTACT_HINT, when=not settings.contact)
    yield Diagnosis(
        "services", "Unpaywall", f"asked with {email}" if has_email else "not asked: it requires an e-mail address"
    )
    yield from _proxies()
    yield _cached_answers(settings)


def _check_key(service_key: ServiceKey, settings: Settings, environ: Mapping[str, str]) -> Diagnosis:
    what = f"key for {service_key.service}"
    try:
        key = service_key.find(settings, environ)
    except SettingsError as error:
        return Diagnosis("services", what, "cannot be used", state="note", hint=str(error))
    if key.is_there and service_key is OPENREVIEW and not environ.get(OPENREVIEW_USER_VARIABLE, "").strip():
        hint = f"set {OPENREVIEW_USER_VARIABLE}, too: the password alone is not enough"
        return Diagnosis("services", what, "there", where=key.where, state="note", hint=hint)
    state = "there" if key.is_there else f"none; {service_key.without}"
    return Diagnosis("services", what, state, where=_key_origin(key.where))


def _key_origin(where: str) -> str:
    return "" if where == "none" else where


def _proxies() -> Iterator[Diagnosis]:
    # `getproxies` lists `no_proxy` among the schemes, as `no`.
    hosts = {urlsplit(url).hostname or "set" for scheme, url in urllib.request.getproxies().items() if scheme != "no"}
    value = ", ".join(sorted(hosts)) or "none"
    yield with_hint(Diagnosis("services", "proxy of the environment", value), _PROXY_HINT, when=bool(hosts))


def _cached_answers(settings: Settings) -> Diagnosis:
    from litterm.llm.cache import measure_folder

    files, size = measure_folder(settings.cache / "web", "*.answer")
    summary = f"{files:,}, {size / 1e6:,.1f} MB"
    return Diagnosis("services", "kept answers", summary, hint="litterm cache --clear deletes them" if files else "")
