"""Reads the settings from flags, environment and file, and notes where each value came from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from litterm.core.errors import SettingsError
from litterm.core.settings.config_file import read_file
from litterm.core.settings.model import (
    EncoderSettings,
    ModelSettings,
    PdfLimits,
    Settings,
    SettingSource,
    SettingSources,
)
from litterm.core.settings.options import BY_NAME, OPTIONS, SettingOption, Value
from litterm.core.settings.secrets import KEY_VARIABLE, TOKEN_VARIABLE

HOME_VARIABLE = "LITTERM_HOME"
_OTHER_VARIABLES = frozenset({HOME_VARIABLE, "LITTERM_SHARED", "LITTERM_SERVICES", KEY_VARIABLE, TOKEN_VARIABLE})
"""Variables that are not settings: the home folder, the test data of a checkout, the key of a model, a token."""

_FOLDERS = frozenset({"library", "cache"})
"""Settings that are folders, which have a place of their own where none is set."""


@dataclass(frozen=True, slots=True)
class _Folders:
    config: Path
    data: Path
    cache: Path
    state: Path
    where: str


def load(overrides: Mapping[str, Value] = MappingProxyType({}), environ: Mapping[str, str] | None = None) -> Settings:
    """The settings in force; `overrides` are flags the user typed (setting name or `home` to value).

    Without `environ` that of this process is read.

    Raises:
        SettingsError: a fault in the file or in a variable; names it, the key and the nearest known key.
    """
    environ = os.environ if environ is None else environ
    folders = _choose_folders(overrides.get("home"), environ)
    file = folders.config / "config.toml"
    values, keys = read_file(file)
    rows = {option.name: _resolve_option(option, str(file), values, environ, overrides) for option in OPTIONS}
    return _build_settings(folders, file, rows, keys, environ)


def load_folders(overrides: Mapping[str, Value], environ: Mapping[str, str]) -> Settings:
    """Folders and flags as `load` has them, every other value at its default: for finding what is wrong with a file.

    Raises:
        SettingsError: the home folder itself is none.
    """
    folders = _choose_folders(overrides.get("home"), environ)
    rows = {option.name: _resolve_option(option, "", {}, {}, overrides) for option in OPTIONS}
    return _build_settings(folders, folders.config / "config.toml", rows, {}, environ)


def own_server(file: Path, environ: Mapping[str, str]) -> str:
    """The server that the variable or the settings file name, whatever was typed; empty if neither does.

    Raises:
        SettingsError: as `load`.
    """
    option = BY_NAME["server"]
    values, _keys = read_file(file)
    return str(_resolve_option(option, str(file), values, environ, {})[0] or "")


def _choose_folders(home: Value, environ: Mapping[str, str]) -> _Folders:
    source = "--home" if home else HOME_VARIABLE
    chosen = str(home or environ.get(HOME_VARIABLE) or "")
    if chosen:
        root = _expand_path(chosen)
        if root.exists() and not root.is_dir():
            raise SettingsError(f"{source} is {root}, which is not a folder.")
        return _Folders(root, root, root / "cache", root, source)
    # Only without a home of one's own: it costs 79 ms, more than the rest of a light command.
    import platformdirs

    return _Folders(
        platformdirs.user_config_path("litterm"),
        platformdirs.user_data_path("litterm"),
        platformdirs.user_cache_path("litterm"),
        platformdirs.user_state_path("litterm"),
        "platform",
    )


def _expand_path(text: str) -> Path:
    try:
        return Path(text).expanduser().absolute()
    except RuntimeError:
        # An unknown `~user`, or no home folder at all: taken literally, as the shell does.
        return Path(text).absolute()


def _resolve_option(
    option: SettingOption,
    file: str,
    values: Mapping[str, Value],
    environ: Mapping[str, str],
    overrides: Mapping[str, Value],
) -> tuple[Value, str]:
    """The value in force and where it came from."""
    if option.name in overrides:
        flag, typed = f"--{option.name}", overrides[option.name]
        return (_read_option(option, typed, flag) if isinstance(typed, str) else typed), flag
    # An empty variable counts as not set: that is how a shell unsets one for a single command.
    if environ.get(option.variable):
        return _read_option(option, environ[option.variable], option.variable), option.variable
    if option.name in values:
        return values[option.name], file
    return option.default, "default"


def _read_option(option: SettingOption, typed: str, source: str) -> Value:
    try:
        return option.read(typed)
    except ValueError as requirement:
        raise SettingsError(f"{source} is {option.shown_value(typed)}, but must be {requirement}.") from None


def _build_settings(
    folders: _Folders,
    file: Path,
    rows: Mapping[str, tuple[Value, str]],
    keys: Mapping[str, str],
    environ: Mapping[str, str],
) -> Settings:
    library, cache = str(rows["library"][0] or ""), str(rows["cache"][0] or "")
    folder_sources = {
        "config": (file, folders.where),
        "library": (_expand_path(library) if library else folders.data / "library", rows["library"][1]),
        "cache": (_expand_path(cache) if cache else folders.cache, rows["cache"][1]),
        "log": (folders.state / "log", folders.where),
        "themes": (folders.config / "themes", folders.where),
    }
    return Settings(
        config=file,
        library=folder_sources["library"][0],
        cache=folder_sources["cache"][0],
        logs=folder_sources["log"][0],
        themes=folder_sources["themes"][0],
        **_values(rows, ""),
        pdf=PdfLimits(**_values(rows, "pdf.")),
        model=ModelSettings(**_values(rows, "model.")),
        encoder=EncoderSettings(**_values(rows, "encoder.")),
        keys=tuple(sorted(keys.items())),
        sources=_list_sources(folders, folder_sources, rows, keys, environ),
    )


def _values(rows: Mapping[str, tuple[Value, str]], table: str) -> dict[str, Any]:
    """By field the values of one table (`pdf.`), or with an empty name of those in no table."""
    fields = {name.removeprefix(table): value for name, (value, _) in rows.items() if name.startswith(table)}
    return {name: value for name, value in fields.items() if "." not in name and name not in _FOLDERS}


def _list_sources(
    folders: _Folders,
    folder_sources: Mapping[str, tuple[Path, str]],
    rows: Mapping[str, tuple[Value, str]],
    keys: Mapping[str, str],
    environ: Mapping[str, str],
) -> SettingSources:
    setting_sources = [
        SettingSource(f"folder.{name}", str(path), folders.where if source == "default" else source)
        for name, (path, source) in folder_sources.items()
    ]
    setting_sources += [
        SettingSource(name, _format_value(value), source)
        for name, (value, source) in rows.items()
        if name not in _FOLDERS
    ]
    setting_sources += [
        SettingSource(f"keys.{name}", key, str(folder_sources["config"][0])) for name, key in sorted(keys.items())
    ]
    known = _OTHER_VARIABLES | {option.variable for option in OPTIONS}
    # A misspelt variable would be ignored without a word; `doctor` names it.
    unknown_variables = sorted(name for name in environ if name.startswith("LITTERM_") and name not in known)
    return SettingSources(tuple(setting_sources), tuple(unknown_variables))


def _format_value(value: Value) -> str:
    if value is None:
        return "auto"
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)
