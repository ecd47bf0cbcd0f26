"""`litterm doctor`: what is where, what state it is in, and what is missing."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import litterm
from litterm.cli.context import Context
from litterm.cli.diagnostics.machine import Diagnosis, State, advised, terminal, versions, writable
from litterm.cli.diagnostics.services import services
from litterm.core.errors import LittermError, SettingsError
from litterm.text.escape import plain

if TYPE_CHECKING:
    from litterm.core.settings.secrets import ApiKey
    from litterm.llm.endpoint import Endpoint

BROKEN = 1
_SHUT = "is not writable; choose another place with LITTERM_HOME or in the settings"
_EMPTY = "`litterm add PATH` imports papers; until then the starter library is searched"
_MODEL_S = 10.0
_MARKS = {"ok": " ", "note": "-", "missing": "!", "bad": "x"}


def declare(_verb: str, parser: argparse.ArgumentParser) -> None:
    """Adds the form of the answer."""
    parser.add_argument("--json", action="store_true", help="JSON on stdout")
    parser.add_argument(
        "--no-ask", action="store_true", help="do not ask the model; otherwise one small request tests it"
    )


def run(_verb: str, args: argparse.Namespace, context: Context) -> int:
    """1 if anything found would keep a command from working."""
    findings = [
        *versions(),
        *_settings(args, context),
        *_library(context),
        *_model(args, context),
        *services(context.settings, os.environ),
        *terminal(os.environ),
        *_shipped(),
    ]
    if args.json:
        context.output.json(_as_json(findings))
    else:
        context.output.lines(_as_lines(findings))
    return BROKEN if any(finding.state == "bad" for finding in findings) else 0


def _settings(args: argparse.Namespace, context: Context) -> Iterator[Diagnosis]:
    yield from _fault(args)
    settings = context.settings
    for row in settings.sources.rows:
        section = "folders" if row.name.startswith("folder.") else "settings"
        finding = Diagnosis(section, row.name.removeprefix("folder."), row.value, where=row.where)
        shut = section == "folders" and not writable(Path(row.value))
        yield advised(finding, _SHUT, when=shut, state="bad")
    for name in settings.sources.unknown_variables:
        hint = "litterm does not know this variable; see docs/reference/settings.md"
        yield Diagnosis("settings", name, "not read", where="environment", state="note", hint=hint)


def _fault(args: argparse.Namespace) -> Iterator[Diagnosis]:
    """What is wrong with the settings, if anything; the rest of the report then shows defaults."""
    from litterm.core.settings import load

    try:
        load({"home": args.home} if "home" in args else {}, os.environ)
    except SettingsError as error:
        yield Diagnosis("settings", "fault", str(error), state="bad", hint="the defaults below apply until it is fixed")


def _library(context: Context) -> Iterator[Diagnosis]:
    # Before anything is asked that mends what it can.
    yield from list(_damage(context))
    try:
        status = context.engine().status()
    except LittermError as error:
        hint = "see docs/architecture.md, section The library on disk"
        yield Diagnosis("library", "state", str(error), state="bad", hint=hint)
        return
    yield advised(Diagnosis("library", "papers", f"{status.papers:,}"), _EMPTY, when=not status.papers)
    yield Diagnosis("library", "full texts", f"{status.documents:,}")
    if status.by_source:
        yield Diagnosis("library", "by source", ", ".join(f"{name} {count:,}" for name, count in status.by_source))
    yield Diagnosis("library", "size on disk", f"{status.bytes_on_disk / 1e6:,.1f} MB")
    yield Diagnosis("library", "generation", f"{status.generation}")
    yield Diagnosis("index", "parts", f"{status.segments}, one for each segment of the library")
    yield _nearness(status.papers)
    yield from _unsearchable(context)
    yield from _meanings(context)
    yield Diagnosis("library", "writing now", status.writer or "idle")
    if status.failures:
        hint = "litterm failures lists them, litterm failures --retry tries again"
        yield Diagnosis("library", "failed inputs", f"{status.failures:,}", state="note", hint=hint)
    for notice in status.notices:
        yield Diagnosis("library", "notice", notice, state="note")


def _damage(context: Context) -> Iterator[Diagnosis]:
    """What is not what was written; every file of the library is read for it."""
    from litterm.library.segments.integrity import library_faults

    for fault in library_faults(context.settings.library):
        section = "index" if fault.what == "index" else "library"
        state: State = "missing" if fault.what in ("journal", "set aside") else "bad"
        yield Diagnosis(section, f"damaged {fault.what}", fault.why, state=state, hint=fault.remedy)


def _unsearchable(context: Context) -> Iterator[Diagnosis]:
    """What keeps the index from answering, if anything."""
    from litterm.core.tasks import run as driven

    engine = context.engine()
    try:
        driven(engine.search(engine.parse("paper"), k=1))
    except LittermError as error:
        yield Diagnosis("index", "state", str(error), state="bad")


def _meanings(context: Context) -> Iterator[Diagnosis]:
    """Of how many words of the library the meaning is known, and from where."""
    from litterm.library.index.reader import IndexFolder
    from litterm.library.index.static_embeddings import open_static
    from litterm.library.segments.library import DuckLibrary
    from litterm.search.open_index import open_live
    from litterm.search.signals.vocabulary import vocabulary

    model = open_static()
    try:
        counted = vocabulary(open_live(DuckLibrary(context.settings.library).snapshot(), IndexFolder()), model)
    except LittermError:
        # `_unsearchable` has said why.
        return
    yield Diagnosis("index", "words known to the built-in model", f"{counted.model:,}", where=model.name)
    yield Diagnosis(
        "index", "words learned from this library", f"{counted.library:,}", where="the papers that hold them"
    )
    yield Diagnosis("index", "words without a known meaning", f"{counted.unknown:,}", where="matched as written")


def _nearness(papers: int) -> Diagnosis:
    """How the papers nearest in meaning are found in a library of so many."""
    from litterm.library.index.ann import can_group
    from litterm.model.index import APPROXIMATE_FROM

    if papers <= APPROXIMATE_FROM:
        return Diagnosis("index", "nearest", "every vector is compared", where=f"up to {APPROXIMATE_FROM:,} papers")
    if can_group():
        return Diagnosis("index", "nearest", "faiss, over the vectors of large segments")
    hint = 'pip install "litterm[ann]"; the next import prepares the library for it'
    return Diagnosis("index", "nearest", "every vector is compared", state="note", hint=hint)


def _model(args: argparse.Namespace, context: Context) -> Iterator[Diagnosis]:
    """Whether the language model answers; asked only where one is set, after saying so, and never for long."""
    from litterm.core.errors import ModelError
    from litterm.llm.factory import absence, key_of, target_of

    settings = context.settings
    why = absence(settings)
    if why:
        yield Diagnosis("model", "state", why, state="ok" if not settings.model.base_url else "note")
        return
    endpoint = target_of(settings.model).endpoint
    yield Diagnosis("model", "asked", f"{settings.model.model} at {endpoint.label}", where=_asked_where(endpoint.local))
    try:
        key = key_of(settings, endpoint, os.environ)
        hint = "others on the network can read the key and the text; use an https address"
        yield advised(
            Diagnosis("model", "key", "there" if key.is_there else "none", where=key.where), hint, when=endpoint.open
        )
        yield _key_sent(key, endpoint)
        yield _proved(args, context, endpoint.label)
    except ModelError as error:
        hint = "`litterm config model` sets it up again; everything else works without it"
        yield Diagnosis("model", "answer", str(error), state="missing", hint=hint)


def _key_sent(key: ApiKey, endpoint: Endpoint) -> Diagnosis:
    """Which key goes where, and why a usual one does not."""
    from litterm.core.settings.secrets import USUAL_HOST, USUAL_VARIABLE, key_words

    unused = not key.is_there and endpoint.host != USUAL_HOST and os.environ.get(USUAL_VARIABLE, "").strip()
    hint = f"{USUAL_VARIABLE} goes to {USUAL_HOST} only; set LITTERM_API_KEY for this host" if unused else ""
    return Diagnosis("model", "key sent", key_words(key, endpoint.label), hint=hint)


def _proved(args: argparse.Namespace, context: Context, host: str) -> Diagnosis:
    """What one small request shows.

    Raises:
        ModelError: it shows that the model cannot be asked.
    """
    from litterm.llm.health_check import probe_endpoint
    from litterm.render.cost import proof_words

    settings = context.settings
    if args.no_ask or settings.model.dry_run:
        return Diagnosis("model", "answer", "not asked", where="--no-ask" if args.no_ask else "model.dry_run")
    context.output.say(f"Testing {settings.model.model} at {host} with one small request; --no-ask skips this.")
    return Diagnosis(
        "model", "answer", proof_words(context.drive(probe_endpoint(settings, os.environ, timeout_s=_MODEL_S)))
    )


def _asked_where(local: bool) -> str:
    return "this machine" if local else "elsewhere: text leaves this machine"


def _shipped() -> Iterator[Diagnosis]:
    """Whether the parts of the package that are no Python are there."""
    package = Path(litterm.__file__).resolve().parent
    themes = next((folder for folder in (package / "themes", package.parent / "themes") if folder.is_dir()), None)
    starter = package / "data" / "starter"
    hint = "the installation is incomplete; reinstall litterm"
    for name, found in (
        ("themes", len(list(themes.glob("*.toml"))) if themes else 0),
        ("starter library files", len(list(starter.glob("*.jsonl*"))) if starter.is_dir() else 0),
    ):
        yield Diagnosis("package", name, str(found), state="ok" if found else "bad", hint="" if found else hint)


def _as_lines(findings: list[Diagnosis]) -> Iterator[str]:
    ordered = sorted(findings, key=lambda finding: _SECTIONS.index(finding.section))
    for section, group in groupby(ordered, key=lambda finding: finding.section):
        yield section
        for finding in group:
            where = f"  ({finding.where})" if finding.where else ""
            yield plain(f" {_MARKS[finding.state]} {finding.name}: {finding.value or 'not set'}{where}")
            if finding.hint:
                yield plain(f"     -> {finding.hint}")
    wrong = sum(finding.state in ("bad", "missing") for finding in findings)
    yield f"{wrong} to fix (marked x or ! above)" if wrong else "nothing to fix"


_SECTIONS = ("versions", "folders", "settings", "library", "index", "model", "services", "terminal", "package")


def _as_json(findings: list[Diagnosis]) -> dict[str, object]:
    """Section to the list of its findings, and what is missing once more by itself."""
    sections: dict[str, object] = {
        section: [
            {"name": each.name, "value": each.value, "where": each.where, "state": each.state, "hint": each.hint}
            for each in findings
            if each.section == section
        ]
        for section in _SECTIONS
    }
    missing = [
        {"what": each.name, "why": each.value, "how": each.hint}
        for each in findings
        if each.state in ("missing", "bad")
    ]
    return {**sections, "missing": missing}
