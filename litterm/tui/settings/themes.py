"""Loads themes for Textual: TOML files from the package, the checkout and the user's folder.

A file holds `name`, `dark` (and `ansi` for a theme that leaves colours to the terminal), a table `[colors]` with
every name of `COLOR_KEYS`, and may hold `[styles]`. A bad file is known from file and key and left out.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from textual.color import Color, ColorParseError
from textual.theme import Theme

import litterm
from litterm.core.errors import SettingsError

DEFAULT_THEME = "litterm-dark"
TERMINAL_COLOUR_THEMES = ("ansi",)
"""Shipped themes that name no colours of their own but the terminal's."""
COLOR_KEYS = (
    *("surface", "panel", "border", "text", "muted", "accent", "match", "evidence-strong", "evidence-proposed"),
    *("evidence-hand", "refute", "warning", "error", "selection", "hit", "hit-text", "hit-now", "hit-now-text"),
)
"""What `[colors]` must name: grounds (surface, panel, selection, hit, hit-now), lines (border) and texts."""
DEFAULT_STYLES: Mapping[str, str] = {
    "match-style": "none",
    "cursor-style": "none",
    "row-style": "none",
    "selection-style": "none",
    "hit-style": "none",
    "hit-now-style": "bold",
    "rejected-style": "strike",
}
"""What `[styles]` may name, with what holds otherwise; values are words of `STYLE_FLAGS`."""
STYLE_FLAGS = frozenset({"none", "bold", "dim", "italic", "underline", "reverse", "strike"})


@dataclass(frozen=True, slots=True)
class LoadedThemes:
    """The themes found; a later folder's theme replaces one of the same name."""

    themes: Mapping[str, Theme]
    faults: tuple[str, ...]
    """One sentence a bad file: file, key, what is wrong."""


def theme_folders(user: Path) -> tuple[Path, ...]:
    """The folders with themes: the package's, a checkout's, the user's."""
    package = Path(litterm.__file__).resolve().parent
    return package / "themes", package.parent / "themes", user


def load_themes(places: Iterable[Path]) -> LoadedThemes:
    """Loads every theme in `places`; missing folders are skipped."""
    by_name: dict[str, Theme] = {}
    faults: list[str] = []
    for file in theme_files(places):
        try:
            theme = read_theme(file)
        except SettingsError as error:
            faults.append(str(error))
        else:
            by_name[theme.name] = theme
    return LoadedThemes(by_name, tuple(faults))


def theme_files(places: Iterable[Path]) -> Iterator[Path]:
    """Theme files in the order they are read."""
    for folder in places:
        yield from sorted(folder.glob("*.toml")) if folder.is_dir() else ()


def modification_times(places: Iterable[Path]) -> tuple[tuple[str, int], ...]:
    """The modification times of theme files, to notice changes cheaply."""
    return tuple((str(file), _modification_time(file)) for file in theme_files(places))


def _modification_time(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    # Deleted between the listing and this: the next look does not list it any more.
    except OSError:
        return 0


def read_theme(file: Path) -> Theme:
    """Reads one theme file.

    Raises:
        SettingsError: unreadable, or a key is missing, unknown or has a value that does not fit.
    """
    table = _parse_file(file)
    for key in table.keys() - {"name", "dark", "ansi", "colors", "styles"}:
        raise SettingsError(f"{file}: unknown key {key!r}; known are name, dark, ansi, [colors] and [styles].")
    name = table.get("name", file.stem)
    if not isinstance(name, str) or not name.isprintable() or not name.strip():
        raise SettingsError(f"{file}: name is {name!r}, but must be a word.")
    colors = _colors(file, table.get("colors", {}))
    styles = {**DEFAULT_STYLES, **_styles(file, table.get("styles", {}))}
    return _theme(name, colors, styles, dark=bool(table.get("dark", True)), ansi=bool(table.get("ansi", False)))


def _parse_file(file: Path) -> dict[str, object]:
    try:
        # Editors on Windows may begin a file with a byte order mark, which TOML does not allow.
        return tomllib.loads(file.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise SettingsError(f"{file}: cannot be read ({error.strerror}).") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise SettingsError(f"{file}: {error}.") from error


def _colors(file: Path, raw: object) -> dict[str, str]:
    if not isinstance(raw, dict):
        raise SettingsError(f"{file}: colors must be a table.")
    for key in raw.keys() - set(COLOR_KEYS):
        raise SettingsError(f"{file}: colors.{key} is unknown; known are {', '.join(COLOR_KEYS)}.")
    for key in COLOR_KEYS:
        if key not in raw:
            raise SettingsError(f"{file}: colors.{key} is missing.")
    return {key: _color(file, key, raw[key]) for key in COLOR_KEYS}


def _color(file: Path, key: str, raw: object) -> str:
    try:
        Color.parse(str(raw))
    except ColorParseError:
        raise SettingsError(f"{file}: colors.{key} is {raw!r}, but must be a colour such as '#1e2128'.") from None
    return str(raw)


def _styles(file: Path, raw: object) -> dict[str, str]:
    if not isinstance(raw, dict):
        raise SettingsError(f"{file}: styles must be a table.")
    for key, value in raw.items():
        if key not in DEFAULT_STYLES:
            raise SettingsError(f"{file}: styles.{key} is unknown; known are {', '.join(DEFAULT_STYLES)}.")
        if not isinstance(value, str) or not set(value.split()) <= STYLE_FLAGS or not value.strip():
            raise SettingsError(
                f"{file}: styles.{key} is {value!r}, but must be words of {', '.join(sorted(STYLE_FLAGS))}."
            )
    return dict(raw)


def _theme(name: str, colors: Mapping[str, str], styles: Mapping[str, str], *, dark: bool, ansi: bool) -> Theme:
    surface = colors["surface"]
    variables = {"scrim": "transparent" if ansi else f"{surface} 60%", "background": surface}
    # Textual's own widgets ask ansi themes for these two, and only ansi themes.
    variables |= {"ansi-background": surface, "ansi-foreground": colors["text"]} if ansi else {}
    return Theme(
        name=name,
        primary=colors["accent"],
        accent=colors["accent"],
        foreground=colors["text"],
        background=surface,
        surface=surface,
        panel=colors["panel"],
        warning=colors["warning"],
        error=colors["error"],
        success=colors["evidence-strong"],
        dark=dark,
        ansi=ansi,
        variables={**{key: value for key, value in colors.items() if key != "text"}, **styles, **variables},
    )
