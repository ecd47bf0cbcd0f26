"""Finds Zotero's data folder, and what its profiles say of it."""

from __future__ import annotations

import configparser
import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from litterm.core.errors import UsageError

DATABASE_NAME: Final = "zotero.sqlite"
ZOTERO_WORD: Final = "zotero"
"""What `litterm add` takes in place of a path."""
_PROFILE_FOLDERS: Final = (
    ".zotero/zotero",
    "Library/Application Support/Zotero",
    ".var/app/org.zotero.Zotero/.zotero/zotero",
    "snap/zotero-snap/common/.zotero/zotero",
)
"""Where profiles are, below the home folder: Linux, macOS, Flatpak, Snap."""
_DATA_FOLDERS: Final = ("Zotero", ".var/app/org.zotero.Zotero/Zotero", "snap/zotero-snap/common/Zotero")
_PREFERENCE: Final = re.compile(
    r'user_pref\("extensions\.zotero\.(useDataDir|dataDir|lastDataDir|baseAttachmentPath)",\s*'
    r'("(?:[^"\\\n]|\\.)*"|true|false)\s*\)'
)
_MAX_PREFERENCES_BYTES: Final = 8 * 2**20


@dataclass(frozen=True, slots=True)
class Profile:
    """What a profile of Zotero says of its files."""

    name: str
    data_folder: Path | None
    """Where its data folder was moved to; `None` where it is the usual one."""
    attachment_folder: str
    """The base folder of linked files; empty if none was chosen."""


def find_database(home: Path) -> Path:
    """The database of the user whose home folder is `home`: that of the default profile if there are several.

    Raises:
        UsageError: there is none.
    """
    folders = dict.fromkeys(_data_folders(home))
    for folder in folders:
        if (folder / DATABASE_NAME).is_file():
            return folder / DATABASE_NAME
    places = ", ".join(map(str, folders))
    raise UsageError(
        f"no database of Zotero in {places}; Zotero shows its folder under Settings, Advanced, Files and Folders: "
        f"litterm add FOLDER/{DATABASE_NAME}"
    )


def with_database(paths: Iterable[Path], home: Path) -> list[Path]:
    """`paths` with the user's database in place of the word `zotero`, unless there is a file or folder of that name.

    Raises:
        UsageError: there is no such database.
    """
    return [find_database(home) if str(path) == ZOTERO_WORD and not path.exists() else path for path in paths]


def _data_folders(home: Path) -> Iterator[Path]:
    profiles = list(_profiles(home))
    for number, profile in enumerate(profiles):
        if profile.data_folder is not None:
            yield profile.data_folder
        elif number == 0:
            yield home / _DATA_FOLDERS[0]
    yield from (home / name for name in _DATA_FOLDERS)
    # A second profile that finds the usual folder taken has one of its own.
    yield from (home / f"{_DATA_FOLDERS[0]} {profile.name}" for profile in profiles[1:])


def attachment_folder(data_folder: Path, home: Path) -> str:
    """The base folder of linked files of the profile that uses `data_folder`; empty if it has none."""
    for profile in _profiles(home):
        own_folders = [profile.data_folder] if profile.data_folder else [home / name for name in _DATA_FOLDERS]
        if data_folder in own_folders and profile.attachment_folder:
            return profile.attachment_folder
    return ""


def _profiles(home: Path) -> Iterator[Profile]:
    """The profiles of Zotero below a home folder, the default ones first."""
    for name in _PROFILE_FOLDERS:
        root = home / name
        for profile_name, folder in _profile_folders(root):
            with suppress(OSError):
                yield _profile(profile_name, folder / "prefs.js")


def _profile_folders(root: Path) -> list[tuple[str, Path]]:
    listing = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        listing.read_string((root / "profiles.ini").read_text("utf-8", "replace"))
    except (OSError, configparser.Error):
        return []
    sections = [listing[name] for name in listing.sections() if listing[name].get("Path")]
    sections.sort(key=lambda section: section.get("Default") != "1")
    return [(section.get("Name", ""), root / section["Path"]) for section in sections]


def _profile(name: str, preferences: Path) -> Profile:
    with preferences.open("rb") as stream:
        text = stream.read(_MAX_PREFERENCES_BYTES).decode("utf-8", "replace")
    values = {match[1]: _preference(match[2]) for match in _PREFERENCE.finditer(text)}
    folder = values.get("dataDir", "")
    if not folder.startswith("/"):
        # Very old ones encode the path; the plain one is beside it.
        folder = values.get("lastDataDir", "")
    is_moved = values.get("useDataDir") == "true" and folder.startswith("/")
    return Profile(name, Path(folder) if is_moved else None, values.get("baseAttachmentPath", ""))


def _preference(literal: str) -> str:
    if not literal.startswith('"'):
        return literal
    try:
        return str(json.loads(literal))
    except ValueError:
        # An escape that only JavaScript has.
        return re.sub(r"\\(.)", r"\1", literal[1:-1])
