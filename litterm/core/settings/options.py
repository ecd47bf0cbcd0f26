"""The table of all settings: how each is read, and what it means. Types and defaults are those of `model`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass
from typing import Final

from litterm.core.settings.model import EncoderSettings, ModelSettings, PdfLimits, Settings

Value = bool | int | float | str | None

_TABLES: Final[Mapping[str, type[Settings | PdfLimits | ModelSettings | EncoderSettings]]] = {
    "": Settings,
    "pdf": PdfLimits,
    "model": ModelSettings,
    "encoder": EncoderSettings,
}
"""The class of each table of the file."""
_TRUE_WORDS = frozenset({"1", "true", "yes", "on"})
_FALSE_WORDS = frozenset({"0", "false", "no", "off"})


@dataclass(frozen=True, slots=True)
class SettingOption:
    """One setting; `name` is its key in the file, dots for tables (`pdf.pages`)."""

    name: str
    read: Callable[[object], Value]
    """From a TOML value or the text of an environment variable; raises ValueError with what was wanted."""
    meaning: str
    """One line for docs/reference/settings.md and `doctor`."""

    def shown_value(self, raw: object) -> str:
        """A refused value, for its error; never what may be a password or a key."""
        # Who pastes a key where the name of its variable belongs must not find it in a log.
        if self.read is variable_name:
            return "something else"
        text = repr(raw)
        if self.read is not address:
            return text
        # A password precedes the host, and a key may be in the query.
        return re.sub(r"[?#].*", "…'", re.sub(r"//[^/@]*@", "//…@", text))

    @property
    def default(self) -> Value:
        """That of the field of the same name; empty for a folder, which has a place of its own where none is set."""
        table, _, name = self.name.rpartition(".")
        field = _TABLES[table].__dataclass_fields__[name]
        return "" if field.default is MISSING else field.default

    @property
    def variable(self) -> str:
        """Its environment variable: `LITTERM_PDF_PAGES`."""
        return "LITTERM_" + self.name.replace(".", "_").upper()


def yes_or_no(raw: object) -> Value:
    """True or false, also as the usual words of an environment variable."""
    if isinstance(raw, bool):
        return raw
    word = raw.strip().lower() if isinstance(raw, str) else ""
    if word in _TRUE_WORDS or word in _FALSE_WORDS:
        return word in _TRUE_WORDS
    raise ValueError("true or false")


def yes_no_or_auto(raw: object) -> Value:
    """True, false, or `None` for "auto"."""
    if isinstance(raw, str) and raw.strip().lower() == "auto":
        return None
    try:
        return yes_or_no(raw)
    except ValueError:
        raise ValueError('true, false or "auto"') from None


def one_of(*known: str) -> Callable[[object], Value]:
    """A reader of one of the words `known`."""

    def read(raw: object) -> Value:
        word = raw.strip().lower() if isinstance(raw, str) else ""
        if word not in known:
            raise ValueError(" or ".join(f'"{choice}"' for choice in known))
        return word

    return read


def words(raw: object) -> Value:
    """Any text on one line."""
    if isinstance(raw, str) and raw.isprintable():
        return raw.strip()
    raise ValueError("text on one line")


def address(raw: object) -> Value:
    """An `http` or `https` address without name, password, query or fragment; empty for none."""
    from urllib.parse import urlsplit

    fault = ValueError("an address that begins with http:// or https://, without a name, key or query in it")
    text = raw.strip() if isinstance(raw, str) else None
    if text == "":
        return ""
    try:
        parts = urlsplit(text or "")
        # A port that is no number is refused only when it is asked for.
        host, _port = parts.hostname, parts.port
    except ValueError:
        raise fault from None
    if not text or not text.isprintable() or " " in text or parts.scheme not in ("http", "https") or not host:
        raise fault
    if parts.username or parts.password or parts.query or parts.fragment:
        raise fault
    return text


def variable_name(raw: object) -> Value:
    """The name of an environment variable; empty for none."""
    text = raw.strip() if isinstance(raw, str) else None
    if text is not None and re.fullmatch(r"([A-Za-z_][A-Za-z0-9_]*)?", text):
        return text
    raise ValueError("the name of an environment variable, not the key itself")


def or_auto(read_value: Callable[[object], Value]) -> Callable[[object], Value]:
    """What `read_value` reads, or `None` for "auto"."""

    def read_or_auto(raw: object) -> Value:
        if isinstance(raw, str) and raw.strip().lower() == "auto":
            return None
        try:
            return read_value(raw)
        except ValueError as requirement:
            raise ValueError(f'{requirement}, or "auto"') from None

    return read_or_auto


def number(least: float, most: float, *, whole: bool = True) -> Callable[[object], Value]:
    """A reader of numbers in `least`..`most`, both included."""

    def read(raw: object) -> Value:
        try:
            if isinstance(raw, bool) or not isinstance(raw, int | float | str):
                raise ValueError
            value = int(raw) if whole and not isinstance(raw, float) else float(raw)
        except ValueError:
            # Neither least nor most holds for not-a-number, which the check below then refuses.
            value = float("nan")
        if not least <= value <= most or (whole and value != int(value)):
            raise ValueError(f"a {'whole ' if whole else ''}number from {least:g} to {most:g}")
        return int(value) if whole else float(value)

    return read


_PRICE = number(0, 100_000, whole=False)
_TOKENS = number(0, 10**12)

OPTIONS: tuple[SettingOption, ...] = (
    SettingOption("offline", yes_or_no, "never use the network"),
    SettingOption("starter", yes_or_no, "search the starter library below your own papers"),
    SettingOption("full_texts", yes_or_no, "also search full texts, unless a search says otherwise"),
    SettingOption("theme", words, "name of a theme, shipped or in your themes folder"),
    SettingOption(
        "results_layout",
        one_of("auto", "table", "cards"),
        "one line per paper, cards, or one line where it fits",
    ),
    SettingOption("preview", yes_or_no, "the reader follows the cursor of the results"),
    SettingOption("ascii", yes_no_or_auto, "plain ASCII instead of marks such as ◆ and …; auto asks the terminal"),
    SettingOption("sync_at_start", yes_or_no, "update subscriptions when the workbench starts"),
    SettingOption("watched_folder", words, "folder whose new files the workbench imports; empty: none"),
    SettingOption("network_notice", yes_or_no, "say what is sent to whom before a session first uses the network"),
    SettingOption("citation_key", words, "formula of citation keys, as in Better BibTeX; empty: our own"),
    SettingOption("contact", words, "e-mail address shown to services that ask for one; empty sends none"),
    SettingOption("server", address, "address of a server whose library is used in place of your own"),
    SettingOption("segments", words, "URL of the segments for a cluster's nodes; empty: the library's own folder"),
    SettingOption("library", words, "folder of the library; empty means the place shown by `litterm doctor`"),
    SettingOption("cache", words, "folder of the cache; empty means the place shown by `litterm doctor`"),
    SettingOption("pdf.timeout_s", number(1, 3600, whole=False), "seconds one PDF may take"),
    SettingOption("pdf.memory_mb", number(128, 65536), "megabytes one PDF may take"),
    SettingOption("pdf.pages", number(1, 100000), "pages read of one PDF; longer ones are refused"),
    SettingOption("pdf.workers", number(0, 64), "PDFs read at the same time; 0 means one per core"),
    SettingOption("model.base_url", address, "address of the model server, with or without /v1; empty: no model"),
    SettingOption("model.model", words, "name of the model on that server"),
    SettingOption(
        "model.embedding", words, "embedding model there; `litterm config encoder` sets up one of this machine"
    ),
    SettingOption(
        "model.temperature", number(0, 2, whole=False), "0 gives the same reply again, as far as a server can"
    ),
    SettingOption(
        "model.agent_temperature",
        or_auto(number(0, 2, whole=False)),
        "of the agent that looks for a cited paper; auto: as model.temperature",
    ),
    SettingOption(
        "model.timeout_s",
        or_auto(number(1, 3600, whole=False)),
        "seconds without a byte; auto: 120, or 600 on this machine",
    ),
    SettingOption(
        "model.concurrency", or_auto(number(1, 64)), "requests at the same time; auto: 4, or 1 on this machine"
    ),
    SettingOption(
        "model.price_in",
        or_auto(_PRICE),
        "dollars per million tokens sent; auto: unknown, or 0 on this machine",
    ),
    SettingOption("model.price_out", or_auto(_PRICE), "dollars per million tokens received; auto as above"),
    SettingOption(
        "model.run_dollars", _PRICE, "most dollars one run may cost, where prices are known; 0 means no limit"
    ),
    SettingOption("model.day_dollars", _PRICE, "most dollars a day may cost, where prices are known; 0 means no limit"),
    SettingOption(
        "model.run_tokens",
        or_auto(_TOKENS),
        "most tokens a run, 0 for no cap; auto: 5 million, or no cap on this machine",
    ),
    SettingOption(
        "model.day_tokens",
        or_auto(_TOKENS),
        "most tokens a day, 0 for no cap; auto: 20 million, or no cap on this machine",
    ),
    SettingOption(
        "model.repeats",
        number(1, 1000),
        "how often one run may send the same request before it is stopped as a loop",
    ),
    SettingOption("model.key_env", variable_name, "variable with the key; empty: LITTERM_API_KEY and what follows it"),
    SettingOption(
        "model.plain_http", yes_or_no, "send the key over plain http to another machine, where it can be read"
    ),
    SettingOption("model.cache", yes_or_no, "answer from cached replies"),
    SettingOption("model.dry_run", yes_or_no, "print what would be sent to the model without sending it"),
    SettingOption(
        "encoder.folder", words, "folder of a sentence encoder for searches; `litterm config encoder` sets it"
    ),
    SettingOption("encoder.query", or_auto(words), "instruction before a query; auto: as the encoder was trained"),
    SettingOption("encoder.passage", or_auto(words), "instruction before a paper; auto: as the encoder was trained"),
)

VERSION: Final = 1
"""Of the settings file, in its JSON Schema; it rises when a setting is added or takes other values."""
BY_NAME = {option.name: option for option in OPTIONS}
