"""The settings as frozen dataclasses, as every part of litterm gets them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class SettingSource:
    """Where one value came from."""

    name: str
    """Setting or folder: `offline`, `folder.library`, `keys.reader.next-evidence`."""
    value: str
    where: str
    """`default`, `LITTERM_OFFLINE`, `--offline`, `/path/config.toml`, `platform`."""


@dataclass(frozen=True, slots=True)
class SettingSources:
    """Every value with its origin, and what looked like a setting but is none; for `doctor`."""

    rows: tuple[SettingSource, ...] = ()
    unknown_variables: tuple[str, ...] = ()
    """Environment variables `LITTERM_*` that no part of litterm reads."""

    def of(self, name: str) -> str:
        """Where the value of `name` came from; `default` if it is not listed."""
        return next((row.where for row in self.rows if row.name == name), "default")


@dataclass(frozen=True, slots=True)
class PdfLimits:
    """What one PDF may cost before its child process is killed."""

    timeout_s: float = 60.0
    memory_mb: int = 1024
    pages: int = 1000
    workers: int = 0
    """Files read at the same time; 0 means one per core."""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which language model is asked, how, and what it may cost. The key is never in here: see `secrets`."""

    base_url: str = ""
    model: str = ""
    temperature: float = 0.0
    agent_temperature: float | None = None
    """Of the citation agent; `None`: as `temperature`."""
    timeout_s: float | None = None
    """`None`, here and below: as suits the endpoint, which depends on whether it is on this machine."""
    concurrency: int | None = None
    price_in: float | None = None
    """Dollars per million tokens."""
    price_out: float | None = None
    run_dollars: float = 2.0
    """0, here and below: no cap."""
    day_dollars: float = 10.0
    run_tokens: int | None = None
    day_tokens: int | None = None
    repeats: int = 3
    key_env: str = ""
    plain_http: bool = False
    """Whether the key may go to another machine over plain http, where it can be read on the way."""
    cache: bool = True
    dry_run: bool = False
    embedding: str = ""
    """Name of an embedding model at `base_url`, or `onnx:` and a folder of this machine; empty if none is asked."""

    @property
    def is_set(self) -> bool:
        """Whether there is a model to ask."""
        return bool(self.base_url and self.model)


@dataclass(frozen=True, slots=True)
class EncoderSettings:
    """Which sentence encoder of this machine takes part in searches."""

    folder: str = ""
    """Folder of the encoder; empty for none."""
    query: str | None = None
    """Instruction before a query; `None`, here and below: the one that the model was trained with."""
    passage: str | None = None
    """Instruction before title and abstract of a paper."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user chose; nothing secret is ever in here. Folders need not exist yet."""

    config: Path
    """The settings file, `config.toml`."""
    library: Path
    """Folder that holds the library (manifest, segments, journal)."""
    cache: Path
    logs: Path
    themes: Path
    """The user's own themes."""
    offline: bool = False
    starter: bool = True
    """Whether the starter library is searched below the user's own papers."""
    full_texts: bool = False
    """Whether a search looks into full texts, too, unless it says otherwise."""
    theme: str = "litterm-dark"
    results_layout: str = "auto"
    """`table`: one line per paper; `cards`: some; `auto`: a table where there is room for it."""
    preview: bool = False
    """Whether the reader follows the cursor of the results."""
    ascii: bool | None = None
    """Plain ASCII instead of typographic marks; `None` means that the terminal is asked."""
    sync_at_start: bool = False
    """Whether the workbench brings what is subscribed up to date when it starts."""
    watched_folder: str = ""
    """Folder whose new and changed files are imported while the workbench is open; empty for none."""
    network_notice: bool = True
    """Whether the workbench says who is sent what before a session's first use of the network."""
    server: str = ""
    """Address of a server whose library takes the place of `library`; what the user writes stays on this machine."""
    cluster: str = ""
    """Address of the Ray cluster that a command works on; empty: on this machine alone."""
    segments: str = ""
    """URL from which the nodes of a cluster fetch segments; empty: the library's own folder."""
    citation_key: str = ""
    """Formula of citation keys, as Better BibTeX's: `auth.lower + shorttitle(3,3) + year`; empty for our own keys."""
    contact: str = ""
    """E-mail address for services that ask for one; empty sends none."""
    pdf: PdfLimits = field(default=PdfLimits())
    model: ModelSettings = field(default=ModelSettings())
    encoder: EncoderSettings = field(default=EncoderSettings())
    keys: tuple[tuple[str, str], ...] = ()
    """Binding id and the keys it gets instead, comma separated, as in `[keys]`; ascending by id."""
    sources: SettingSources = field(default=SettingSources(), compare=False, repr=False)

    @property
    def log_file(self) -> Path:
        """The file the log is written to now; older ones in its folder end in `.1`, `.2`, ..."""
        return self.logs / "litterm.log"


def from_home(home: Path) -> Settings:
    """Default settings with everything under `home`; for tests and scripts."""
    return Settings(
        config=home / "config.toml",
        library=home / "library",
        cache=home / "cache",
        logs=home / "log",
        themes=home / "themes",
    )
