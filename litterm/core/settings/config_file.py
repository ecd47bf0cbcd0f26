"""Reads and edits the settings file: TOML to values by name; an error names file, key and the nearest known key."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from litterm.core.errors import SettingsError
from litterm.core.filesystem import replace_text
from litterm.core.settings.options import BY_NAME, Value


def read_file(path: Path) -> tuple[dict[str, Value], dict[str, str]]:
    """Values by setting name, and the `[keys]` table as binding id to keys; both empty without a file.

    Raises:
        SettingsError: unreadable, no TOML, an unknown key or a value that does not fit.
    """
    try:
        return _read_values(path)
    # Of the parser of TOML, or of what reads or quotes its values: no setting is a list in a list.
    except RecursionError:
        raise SettingsError(f"{path}: a value is nested too deep to be a setting; take it out.") from None


def _read_values(path: Path) -> tuple[dict[str, Value], dict[str, str]]:
    table = _parse(path)
    keys = _read_keys(path, table.pop("keys", {}))
    values: dict[str, Value] = {}
    for name, raw in _flatten(table):
        if name not in BY_NAME:
            message = f"{path}: unknown key {name!r}{suggest_nearest(name, [*BY_NAME, 'keys'])}"
            # The suggestion is a question, and ends as one.
            raise SettingsError(message if message.endswith("?") else f"{message}.")
        try:
            values[name] = BY_NAME[name].read(raw)
        except ValueError as requirement:
            raise SettingsError(
                f"{path}: {name} is {BY_NAME[name].shown_value(raw)}, but must be {requirement}."
            ) from None
    return values, keys


def suggest_nearest(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` for the most similar of `known`, or the sorted list of them when none is near."""
    # Imported for a mistake only, not with every command.
    from difflib import get_close_matches

    names = sorted(known)
    close = get_close_matches(name, names, n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else f"; there are {', '.join(names)}"


def _parse(path: Path) -> dict[str, object]:
    try:
        # Some editors of Windows put a byte order mark first, which TOML does not allow.
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path}: is not UTF-8 text (byte {error.start}).") from error
    # Most users have no such file; a search need not pay for reading one.
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{path}: {error}.") from error


def _flatten(table: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _read_keys(path: Path, raw: object) -> dict[str, str]:
    # `reader.next-evidence = "n"` without quotes is a nested table in TOML; both spellings are meant the same.
    if not isinstance(raw, dict):
        raise SettingsError(f'{path}: keys must be a table of binding = "key".')
    return {name: _read_key(path, name, value) for name, value in _flatten(raw)}


def _read_key(path: Path, name: str, raw: object) -> str:
    parts = raw if isinstance(raw, list) else [raw]
    names = [part.strip() for part in parts if isinstance(part, str) and part.strip()]
    if not names or len(names) != len(parts):
        raise SettingsError(f'{path}: keys.{name} is {raw!r}, but must be a key such as "ctrl+e", or a list of them.')
    return ",".join(names)


_FILE_MODE = 0o644


def write_settings(path: Path, values: Mapping[str, Value]) -> None:
    """Sets these settings, by name, in the file; `None` takes one out, so that its default holds.

    Raises:
        SettingsError: the file has a fault, a value does not fit, or it cannot be written.
    """
    for name, value in values.items():
        _require_valid(name, value)
    # Before it is changed: a file with a fault would be refused at the next start, and the change be blamed.
    read_file(path)
    # Importing it takes longer than most commands; only this one needs it.
    import tomlkit

    # A file managed elsewhere and linked to stays a link.
    place = path.resolve()
    document = tomlkit.parse(place.read_text("utf-8-sig") if place.exists() else "")
    for name, value in values.items():
        table, _, key = name.rpartition(".")
        if table and table not in document:
            document.add(table, tomlkit.table())
        part = document[table] if table else document
        if not isinstance(part, tomlkit.items.Table | tomlkit.TOMLDocument):
            raise SettingsError(f"{path}: {table} must be a table, as in [{table}].")
        if value is None:
            part.pop(key, None)
        else:
            part[key] = value
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        mode = place.stat().st_mode & 0o777 if place.exists() else _FILE_MODE
        replace_text(place, tomlkit.dumps(document), mode=mode)
    except OSError as error:
        raise SettingsError(f"{path}: cannot be written ({error.strerror}).") from error


def _require_valid(name: str, value: Value) -> None:
    option = BY_NAME[name]
    if value is None:
        return
    try:
        option.read(value)
    except ValueError as requirement:
        raise SettingsError(f"{name} is {option.shown_value(value)}, but must be {requirement}.") from None
