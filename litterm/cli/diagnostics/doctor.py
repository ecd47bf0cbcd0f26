"""`litterm doctor`: checks versions, folders, settings, library, model, services and terminal."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from importlib import metadata
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TextIO
from urllib.parse import urlsplit

import litterm
from litterm.cli.context import Context
from litterm.core.errors import LittermError, SettingsError
from litterm.core.installation import install_command, package_command
from litterm.core.settings import Settings
from litterm.services.registry import OPENREVIEW, OPENREVIEW_USER_VARIABLE, SERVICE_KEYS, ServiceKey
from litterm.text.escape import plain

if TYPE_CHECKING:
    from litterm.core.settings.secrets import ApiKey
    from litterm.llm.endpoint import Endpoint

EXIT_BROKEN = 1
_NOT_WRITABLE_HINT = "is not writable; choose another place with LITTERM_HOME or in the settings"
_EMPTY_LIBRARY_HINT = "`litterm add PATH` imports papers; until then the starter library is searched"
_STATE_LOSS_HINT = (
    "end every litterm, then put a backup of state.db back, or move state.db and state.db-wal away: a new one is made,"
    " in which who cites whom is read from the texts again and `litterm sync counts` fetches counts again;"
    " matrices with their cells, agent runs, sessions, subscriptions and the list of failed inputs are lost"
)
_SYNCHRONISED_HINT = (
    "databases can be damaged when a service copies them while they are written;"
    " end every litterm, move the folder out of there and name the new place in the setting `library`"
)
_EARLIER_FILES_HINT = (
    "they are still read; the next command that uses them and may write moves them into state.db:"
    " `litterm add` the log of imports, `litterm cited-by` the citations"
)
_MAX_EARLIER_FILES_SHOWN = 5
_MAX_WRONG_MERGES = 20
_MODEL_TIMEOUT_S = 10.0
_SECTIONS = ("versions", "folders", "settings", "library", "index", "model", "services", "terminal", "package")
_STATE_MARKS = {"ok": " ", "note": "-", "missing": "!", "bad": "x"}
DiagnosisState = Literal["ok", "note", "missing", "bad"]
_TMUX_TIMEOUT_S = 1.0
_CLIPBOARD_TOOLS = (
    ("WAYLAND_DISPLAY", "wl-copy", "wl-clipboard"),
    ("DISPLAY", "xclip", "xclip"),
    ("DISPLAY", "xsel", "xsel"),
)
_TERM_HINT = "no colours and no progress bars; set TERM to the name of your terminal, for example xterm-256color"
_UTF_HINT = "set LC_ALL=C.UTF-8 (or your language's UTF-8 locale); until then marks are ASCII"
_CONTACT_HINT = "set `contact` to your e-mail address: services slow down or refuse clients without one"
_PROXY_HINT = (
    "the proxy resolves names, so litterm can only check numeric addresses:"
    " a name that leads into this network would be opened"
)


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One line of `doctor`."""

    section: str
    name: str
    value: str
    where: str = ""
    """Where the value comes from, if it could come from several places."""
    state: DiagnosisState = "ok"
    hint: str = ""
    """What to do about it; empty when there is nothing to do."""


def with_hint(finding: Diagnosis, hint: str, *, when: bool, state: DiagnosisState = "note") -> Diagnosis:
    """`finding` with this state and hint if `when`, else unchanged."""
    return replace(finding, state=state, hint=hint) if when else finding


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds the form of the answer."""
    parser.add_argument("--json", action="store_true", help="JSON on stdout")
    parser.add_argument("--no-ask", action="store_true", help="do not send the model a small test request")


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Prints the findings; 1 if one of them keeps a command from working."""
    findings = [
        *check_versions(),
        *_settings(args, context),
        *_library(context),
        *_model(args, context),
        *check_services(context.settings, os.environ),
        *check_terminal(os.environ),
        *_package_data(),
    ]
    if args.json:
        context.output.write_json(_as_json(findings))
    else:
        context.output.write_lines(_as_lines(findings))
    return EXIT_BROKEN if any(finding.state == "bad" for finding in findings) else 0


def _settings(args: argparse.Namespace, context: Context) -> Iterator[Diagnosis]:
    yield from _settings_fault(args)
    settings = context.settings
    for row in settings.sources.rows:
        section = "folders" if row.name.startswith("folder.") else "settings"
        finding = Diagnosis(section, row.name.removeprefix("folder."), row.value, where=row.where)
        shut = section == "folders" and not is_writable(Path(row.value))
        yield with_hint(finding, _NOT_WRITABLE_HINT, when=shut, state="bad")
    yield from _theme_faults(context)
    for name in settings.sources.unknown_variables:
        hint = "litterm does not know this variable; see docs/reference/settings.md"
        yield Diagnosis("settings", name, "not read", where="environment", state="note", hint=hint)


def _theme_faults(context: Context) -> Iterator[Diagnosis]:
    """A theme that is set and is not there, and files of themes that cannot be read."""
    from litterm.tui.settings.themes import load_themes, theme_folders

    settings = context.settings
    loaded = load_themes(theme_folders(settings.themes))
    for fault in loaded.faults:
        yield Diagnosis("settings", "theme file", fault, state="bad")
    if settings.theme and settings.theme not in loaded.themes:
        nearest = get_close_matches(settings.theme, loaded.themes, n=1)
        there = f"did you mean {nearest[0]}? there are " if nearest else "there are "
        yield Diagnosis(
            "settings",
            "theme not found",
            settings.theme,
            state="bad",
            hint=f"{there}{', '.join(sorted(loaded.themes))}",
        )


def _settings_fault(args: argparse.Namespace) -> Iterator[Diagnosis]:
    """What is wrong with the settings, if anything; the rest of the report then shows defaults."""
    from litterm.core.settings import load

    try:
        load({"home": args.home} if "home" in args else {}, os.environ)
    except SettingsError as error:
        yield Diagnosis("settings", "fault", str(error), state="bad", hint="the defaults below apply until it is fixed")


def _library(context: Context) -> Iterator[Diagnosis]:
    # First of all: opening the engine repairs what it can, and the damage would not be reported.
    # As a list: every file is looked at before the first finding lets the engine be built.
    yield from list(_damaged_files(context))
    yield from list(_state_database(context.settings.library))
    yield from _synchronised_folder(context.settings.library)
    try:
        status = context.engine().status()
    except LittermError as error:
        hint = "see docs/architecture.md, section The library on disk"
        yield Diagnosis("library", "state", str(error), state="bad", hint=hint)
        return
    yield with_hint(Diagnosis("library", "papers", f"{status.papers:,}"), _EMPTY_LIBRARY_HINT, when=not status.papers)
    yield Diagnosis("library", "full texts", f"{status.documents:,}")
    if status.by_source:
        yield Diagnosis("library", "by source", ", ".join(f"{name} {count:,}" for name, count in status.by_source))
    yield Diagnosis("library", "size on disk", f"{status.bytes_on_disk / 1e6:,.1f} MB")
    yield Diagnosis("library", "generation", f"{status.generation}")
    yield Diagnosis("index", "parts", f"{status.segments}, one for each segment of the library")
    yield _nearest_neighbours(status.papers)
    yield from _index_fault(context)
    yield from _vocabulary(context)
    yield from _encoder(context)
    yield Diagnosis("library", "writing now", status.writer or "idle")
    if status.failures:
        hint = "litterm failures lists them, litterm failures --retry tries again"
        yield Diagnosis("library", "failed inputs", f"{status.failures:,}", state="note", hint=hint)
    for notice in status.notices:
        yield Diagnosis("library", "notice", notice, state="note")
    yield from _unread_lists(context.settings.library)
    yield from _earlier_files(context.settings.library)
    yield from _wrong_merges(context)


def _state_database(root: Path) -> Iterator[Diagnosis]:
    """Version and size of `state.db`, or what is damaged in it and what that costs; reads all of it."""
    from litterm.core.errors import DatabaseDamaged
    from litterm.library.state.connection import STATE_FILE, StateDatabase

    try:
        file = StateDatabase(root).check()
    except DatabaseDamaged as error:
        yield Diagnosis("library", f"damaged {STATE_FILE}", str(error), state="bad", hint=_STATE_LOSS_HINT)
    except LittermError as error:
        yield Diagnosis("library", STATE_FILE, str(error), state="bad")
    else:
        if file is not None:
            size = f"{file.bytes_on_disk / 1e6:,.1f} MB"
            yield Diagnosis("library", STATE_FILE, f"version {file.version}, {size}, no damage")


def _synchronised_folder(root: Path) -> Iterator[Diagnosis]:
    from litterm.core.filesystem import synchronising_service

    if service := synchronising_service(root):
        value = f"{root} lies in a folder of {service}"
        yield Diagnosis("library", "synchronised folder", value, state="missing", hint=_SYNCHRONISED_HINT)


def _unread_lists(root: Path) -> Iterator[Diagnosis]:
    from litterm.citations.store import CitationStore

    # Where the database cannot be read, this stands above.
    with suppress(LittermError):
        yield Diagnosis("library", "unread reference lists", f"{CitationStore(root).unread():,}")


def _earlier_files(root: Path) -> Iterator[Diagnosis]:
    """Files of an earlier version that `state.db` is to hold; most move when `doctor` counts failed inputs."""
    from litterm.citations.earlier_files import earlier_paths
    from litterm.library.state.earlier_files import earlier_state_paths
    from litterm.library.state.imports import EARLIER_LOG_FILE

    paths = (*earlier_state_paths(root), *earlier_paths(root), root / EARLIER_LOG_FILE)
    names = [str(path.relative_to(root)) for path in paths if path.exists()]
    if names:
        shown = ", ".join(names[:_MAX_EARLIER_FILES_SHOWN])
        rest = f" and {len(names) - _MAX_EARLIER_FILES_SHOWN:,} more" if len(names) > _MAX_EARLIER_FILES_SHOWN else ""
        yield Diagnosis(
            "library", "files of an earlier version", f"{shown}{rest}", state="note", hint=_EARLIER_FILES_HINT
        )


def _wrong_merges(context: Context) -> Iterator[Diagnosis]:
    """Records that earlier versions probably made of several papers."""
    from litterm.library.segments.library import DuckLibrary
    from litterm.library.segments.repair.wrong_merges import find_wrong_merges

    if context.settings.server or not context.settings.library.is_dir():
        return
    library = DuckLibrary(context.settings.library)
    try:
        for wrong in find_wrong_merges(library)[:_MAX_WRONG_MERGES]:
            value = f"{wrong.paper_id}: {wrong.reason}"
            yield Diagnosis("library", "probably two papers", value, state="note", hint=wrong.next_step)
    except LittermError:
        # What is wrong with the library stands above.
        return
    finally:
        library.close()


def _damaged_files(context: Context) -> Iterator[Diagnosis]:
    """Files of the library whose content is not what was written; reads every one of them."""
    from litterm.library.segments.repair.integrity import library_faults

    for fault in library_faults(context.settings.library):
        section = "index" if fault.kind == "index" else "library"
        state: DiagnosisState = "missing" if fault.kind in ("journal", "set aside") else "bad"
        yield Diagnosis(section, f"damaged {fault.kind}", fault.cause, state=state, hint=fault.remedy)


def _index_fault(context: Context) -> Iterator[Diagnosis]:
    """A fault that keeps the index from answering, found by a test search."""
    from litterm.core.tasks import run as driven

    engine = context.engine()
    try:
        driven(engine.search(engine.parse("paper"), k=1))
    except LittermError as error:
        yield Diagnosis("index", "state", str(error), state="bad")


def _vocabulary(context: Context) -> Iterator[Diagnosis]:
    """How many words of the library have a known meaning, and where it comes from."""
    from litterm.library.index.reader import IndexFolder
    from litterm.library.index.static_embeddings import open_static
    from litterm.library.segments.library import DuckLibrary
    from litterm.search.open_index import open_live_rows
    from litterm.search.signals.unknown_words import count_vocabulary

    model = open_static()
    try:
        vocabulary_size = count_vocabulary(
            open_live_rows(DuckLibrary(context.settings.library).snapshot(), IndexFolder()), model
        )
    except LittermError:
        # `_index_fault` has reported why.
        return
    yield Diagnosis("index", "words known to the built-in model", f"{vocabulary_size.model:,}", where=model.name)
    yield Diagnosis(
        "index", "words learned from this library", f"{vocabulary_size.library:,}", where="the papers that hold them"
    )
    yield Diagnosis(
        "index", "words without a known meaning", f"{vocabulary_size.unknown:,}", where="matched as written"
    )


def _nearest_neighbours(papers: int) -> Diagnosis:
    """How the nearest neighbours are found in a library of `papers` papers."""
    from litterm.library.index.vectors import can_group
    from litterm.model.index import MIN_PAPERS_FOR_ANN

    if papers <= MIN_PAPERS_FOR_ANN:
        return Diagnosis("index", "nearest", "every vector is compared", where=f"up to {MIN_PAPERS_FOR_ANN:,} papers")
    if can_group():
        return Diagnosis("index", "nearest", "faiss, over the vectors of large segments")
    hint = f"{install_command('ann')}; the next import prepares the library for it"
    return Diagnosis("index", "nearest", "every vector is compared", state="note", hint=hint)


def _encoder(context: Context) -> Iterator[Diagnosis]:
    """The user's sentence encoder and how many papers have vectors, where one is set."""
    folder = context.settings.encoder.folder
    if not folder:
        return
    try:
        encoder = context.engine().encoder
        assert encoder is not None
        status = encoder.status()
    except LittermError as error:
        yield Diagnosis("index", "encoder", str(error), where="encoder.folder", state="missing")
        return
    finding = Diagnosis(
        "index",
        "encoder",
        f"{status.encoded:,} of {status.papers:,} papers have vectors by {status.model}",
        where=folder,
    )
    yield with_hint(finding, "`litterm encode` makes the others", when=bool(status.missing and not status.running))


def _model(args: argparse.Namespace, context: Context) -> Iterator[Diagnosis]:
    """Whether the language model answers: sends one small request, announced first, if a model is set up."""
    from litterm.cli.local_model import find_servers, server_words
    from litterm.core.errors import ModelError
    from litterm.llm.factory import read_key, read_target, why_no_model

    settings = context.settings
    reason = why_no_model(settings)
    if reason:
        yield Diagnosis("model", "state", reason, state="ok" if not settings.model.base_url else "note")
        if not settings.model.base_url and not args.no_ask:
            hint = "`litterm config model` offers it; enter takes it"
            for server in find_servers(context):
                yield Diagnosis("model", "running here", server_words(server), hint=hint)
        return
    endpoint = read_target(settings.model).endpoint
    yield Diagnosis(
        "model", "asked", f"{settings.model.model} at {endpoint.label}", where=_where_text_goes(endpoint.local)
    )
    try:
        key = read_key(settings, endpoint, os.environ)
        hint = "others on the network can read the key and the text; use an https address"
        yield with_hint(
            Diagnosis("model", "key", "there" if key.is_there else "none", where=key.where), hint, when=endpoint.open
        )
        yield _describe_key(key, endpoint)
        yield _test_model(args, context, endpoint.label)
    except ModelError as error:
        hint = "`litterm config model` sets it up again; everything else works without it"
        yield Diagnosis("model", "answer", str(error), state="missing", hint=hint)


def _describe_key(key: ApiKey, endpoint: Endpoint) -> Diagnosis:
    """Which key is sent to which host, and why `OPENAI_API_KEY` is not."""
    from litterm.core.settings.secrets import OPENAI_HOST, OPENAI_KEY_VARIABLE, describe_key

    unused = not key.is_there and endpoint.host != OPENAI_HOST and os.environ.get(OPENAI_KEY_VARIABLE, "").strip()
    hint = f"{OPENAI_KEY_VARIABLE} goes to {OPENAI_HOST} only; set LITTERM_API_KEY for this host" if unused else ""
    return Diagnosis("model", "key sent", describe_key(key, endpoint.label), hint=hint)


def _test_model(args: argparse.Namespace, context: Context, host: str) -> Diagnosis:
    """The result of one small request to the model.

    Raises:
        ModelError: it shows that the model cannot be asked.
    """
    from litterm.llm.health_check import probe_endpoint
    from litterm.render.cost import probe_words

    settings = context.settings
    if args.no_ask or settings.model.dry_run:
        return Diagnosis("model", "answer", "not asked", where="--no-ask" if args.no_ask else "model.dry_run")
    context.output.say(f"Testing {settings.model.model} at {host} with one small request; --no-ask skips this.")
    return Diagnosis(
        "model",
        "answer",
        probe_words(context.run(probe_endpoint(settings, os.environ, timeout_s=_MODEL_TIMEOUT_S))),
    )


def _where_text_goes(local: bool) -> str:
    return "this machine" if local else "elsewhere: text leaves this machine"


def _package_data() -> Iterator[Diagnosis]:
    """Whether the data files of the package are installed."""
    package = Path(litterm.__file__).resolve().parent
    themes = next((folder for folder in (package / "themes", package.parent / "themes") if folder.is_dir()), None)
    starter = package / "data" / "starter"
    hint = "the installation is incomplete; reinstall litterm"
    for name, count in (
        ("themes", len(list(themes.glob("*.toml"))) if themes else 0),
        ("starter library files", len(list(starter.glob("*.jsonl*"))) if starter.is_dir() else 0),
    ):
        yield Diagnosis("package", name, str(count), state="ok" if count else "bad", hint="" if count else hint)


def _as_lines(findings: list[Diagnosis]) -> Iterator[str]:
    ordered = sorted(findings, key=lambda finding: _SECTIONS.index(finding.section))
    for section, group in groupby(ordered, key=lambda finding: finding.section):
        yield section
        for finding in group:
            source = f"  ({finding.where})" if finding.where else ""
            yield plain(f" {_STATE_MARKS[finding.state]} {finding.name}: {finding.value or 'not set'}{source}")
            if finding.hint:
                yield plain(f"     -> {finding.hint}")
    wrong = sum(finding.state in ("bad", "missing") for finding in findings)
    yield f"{wrong} to fix (marked x or ! above)" if wrong else "nothing to fix"


def _as_json(findings: list[Diagnosis]) -> dict[str, object]:
    """The findings by section, and a list of what is missing."""
    sections: dict[str, object] = {
        section: [
            {
                "name": finding.name,
                "value": finding.value,
                "where": finding.where,
                "state": finding.state,
                "hint": finding.hint,
            }
            for finding in findings
            if finding.section == section
        ]
        for section in _SECTIONS
    }
    missing = [
        {"what": finding.name, "why": finding.value, "how": finding.hint}
        for finding in findings
        if finding.state in ("missing", "bad")
    ]
    return {**sections, "missing": missing}


def check_versions() -> list[Diagnosis]:
    """litterm, Python and every package litterm needs."""
    from litterm.core.version import __version__

    findings = [
        Diagnosis("versions", "litterm", __version__),
        Diagnosis("versions", "python", f"{sys.version.split()[0]} on {sys.platform}", where=sys.executable),
    ]
    return findings + [_check_package(name) for name in _required_packages()]


def _required_packages() -> list[str]:
    try:
        lines = metadata.requires("litterm") or []
    except metadata.PackageNotFoundError:
        return []
    # What an extra would bring may be left out on purpose.
    required = (line for line in lines if "extra ==" not in line)
    # The name ends where extras, versions or conditions begin: `pypdf[crypto]>=7.1,<8`.
    return sorted(re.split(r"[\s\[<>=!~;(]", line, maxsplit=1)[0] for line in required)


def _check_package(name: str) -> Diagnosis:
    try:
        return Diagnosis("versions", name, metadata.version(name))
    except metadata.PackageNotFoundError:
        hint = package_command(name)
        return Diagnosis("versions", name, "not installed", state="bad", hint=hint)


def check_terminal(environ: Mapping[str, str]) -> list[Diagnosis]:
    """Streams, size, colours, encoding, multiplexer and clipboard."""
    size = shutil.get_terminal_size()
    encoding = getattr(sys.stdout, "encoding", None) or "none"
    term = environ.get("TERM", "")
    findings = [
        with_hint(Diagnosis("terminal", "TERM", term), _TERM_HINT, when=term in ("", "dumb")),
        Diagnosis("terminal", "input, output", f"{_stream_kind(sys.stdin)}, {_stream_kind(sys.stdout)}"),
        with_hint(
            Diagnosis("terminal", "size", f"{size.columns}x{size.lines}"),
            "the workbench is made for 80x24 and more",
            when=size.columns < 80 or size.lines < 24,
        ),
        Diagnosis("terminal", "colours", _colours(environ)),
        with_hint(Diagnosis("terminal", "encoding", encoding), _UTF_HINT, when=not encoding.lower().startswith("utf")),
        _clipboard(environ),
    ]
    return findings + _tmux(environ)


def _stream_kind(stream: TextIO | None) -> str:
    if stream is None:
        return "closed"
    return "terminal" if stream.isatty() else "file or pipe"


def _colours(environ: Mapping[str, str]) -> str:
    if environ.get("NO_COLOR"):
        return "none (NO_COLOR)"
    term = environ.get("TERM", "")
    if environ.get("COLORTERM", "") in ("truecolor", "24bit"):
        return "16.7 million (COLORTERM)"
    if "256" in term:
        return "256 (TERM)"
    return "none (TERM)" if term in ("", "dumb") else "16"


def _clipboard(environ: Mapping[str, str]) -> Diagnosis:
    """The tool that copies; without one OSC 52, which the terminal must allow."""
    if sys.platform == "darwin" and shutil.which("pbcopy"):
        return Diagnosis("terminal", "clipboard", "pbcopy")
    for variable, tool, _package_name in _CLIPBOARD_TOOLS:
        if environ.get(variable) and shutil.which(tool):
            return Diagnosis("terminal", "clipboard", tool)
    if shutil.which("clip.exe"):
        return Diagnosis("terminal", "clipboard", "clip.exe")
    if environ.get("SSH_TTY") or environ.get("SSH_CONNECTION"):
        hint = "your terminal must allow programs to set the clipboard; the last copy is also in a file"
        return Diagnosis("terminal", "clipboard", "OSC 52, over ssh", state="note", hint=hint)
    package = next((package for variable, _tool, package in _CLIPBOARD_TOOLS if environ.get(variable)), "")
    hint = f"install {package}" if package else "no display found; the last copy is also in a file"
    return Diagnosis("terminal", "clipboard", "OSC 52", state="missing" if package else "note", hint=hint)


def _tmux(environ: Mapping[str, str]) -> list[Diagnosis]:
    if not environ.get("TMUX"):
        return []
    required_options = (("allow-passthrough", ("on", "all")), ("set-clipboard", ("on",)))
    findings = []
    for option, allowed in required_options:
        value = _tmux_option(option)
        hint = f"in tmux.conf: set -g {option} on (copying from inside tmux needs it)"
        findings.append(
            with_hint(Diagnosis("terminal", f"tmux {option}", value or "unknown"), hint, when=value not in allowed)
        )
    return findings


def _tmux_option(option: str) -> str:
    tmux = shutil.which("tmux")
    if tmux is None:
        return ""
    try:
        command = [tmux, "show-options", "-gqv", option]
        completed = subprocess.run(command, capture_output=True, text=True, timeout=_TMUX_TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return completed.stdout.strip()


def is_writable(path: Path) -> bool:
    """Whether `path`, or the nearest folder above it that exists, can be written to."""
    existing = next(folder for folder in (path, *path.parents) if folder.exists() or folder == folder.parent)
    return os.access(existing, os.W_OK)


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
