"""Changes values in the settings file; the user's comments and the order of keys stay."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from litterm.core.errors import SettingsError
from litterm.core.settings.atomic_write import replace_text
from litterm.core.settings.config_file import read_file
from litterm.core.settings.options import BY_NAME, Value

_MODE = 0o644


def write_settings(path: Path, values: Mapping[str, Value]) -> None:
    """Sets these settings, by name, in the file; `None` takes one out, so that its default holds.

    Raises:
        SettingsError: the file has a fault, a value does not fit, or it cannot be written.
    """
    for name, value in values.items():
        _must_fit(name, value)
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
        mode = place.stat().st_mode & 0o777 if place.exists() else _MODE
        replace_text(place, tomlkit.dumps(document), mode=mode)
    except OSError as error:
        raise SettingsError(f"{path}: cannot be written ({error.strerror}).") from error


def _must_fit(name: str, value: Value) -> None:
    option = BY_NAME[name]
    if value is None:
        return
    try:
        option.read(value)
    except ValueError as requirement:
        raise SettingsError(f"{name} is {option.shown(value)}, but must be {requirement}.") from None
