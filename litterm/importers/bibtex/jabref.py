"""What JabRef writes besides entries: its groups, and the folder of the files that entries name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from litterm.text.clean import clean_line

_METADATA: Final = re.compile(r"@comment\s{0,9}\{\s{0,9}jabref-meta:\s{0,9}([\w-]{1,200}):", re.IGNORECASE)
_GROUP: Final = re.compile(r"\s*(\d{1,3}) (\w{1,40}):(.*)", re.DOTALL)
_ESCAPES: Final = {"\\\\": "\ue000", "\\;": "\ue001", "\\:": "\ue002"}
_PLAIN: Final = str.maketrans({"\ue000": "\\", "\ue001": ";", "\ue002": ":"})
_TREES: Final = ("grouping", "groupstree")
_MAX_GROUPS: Final = 20_000
_MAX_PATH_CHARS: Final = 500
GROUP_DIVIDER: Final = " > "
"""Between a group and the one inside it, as JabRef shows them."""


def split_escaped(text: str, divider: str) -> list[str]:
    """The parts of `text`, in which a backslash escapes a divider; what is escaped inside of a part stays so."""
    for escaped, sign in _ESCAPES.items():
        text = text.replace(escaped, sign)
    parts = text.split(divider)
    for escaped, sign in _ESCAPES.items():
        parts = [part.replace(sign, escaped) for part in parts]
    return parts


def unescape(text: str) -> str:
    """A part without its escapes; a single backslash, as in a path of Windows, stays."""
    for escaped, sign in _ESCAPES.items():
        text = text.replace(escaped, sign)
    return text.translate(_PLAIN)


@dataclass(frozen=True, slots=True)
class JabRefMetadata:
    """The comments `jabref-meta` of a file; empty for a file of another program."""

    paths: Mapping[str, str] = field(default_factory=dict)
    """Of each group by its name, the groups around it and itself: `Thesis > Owls`."""
    members: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By citation key, the groups that list the entry in their own line, as before JabRef 4."""
    folders: Sequence[str] = ()
    """Where attached files are looked for beside the folder of the bibliography."""

    def collections(self, key: str, names: Sequence[str]) -> tuple[str, ...]:
        """The groups of the entry `key`, whose field `groups` has these `names`."""
        stated = (*names, *self.members.get(key, ()))
        return tuple(dict.fromkeys(self.paths.get(name, name) for name in stated))

    def located(self, files: Sequence[str], bibliography: Path | None) -> tuple[str, ...]:
        """`files` with the folder of each that is there, where it is not the folder of the bibliography."""
        if bibliography is None or not self.folders:
            return tuple(files)
        return tuple(self._located(name, bibliography.parent) for name in files)

    def _located(self, name: str, beside: Path) -> str:
        try:
            if (beside / name).exists():
                return name
            places = (beside / Path(folder).expanduser() / name for folder in self.folders)
            return next((str(place) for place in places if place.is_file()), name)
        except (OSError, ValueError, RuntimeError):
            # A name that no file can have, or a home folder of nobody.
            return name


def read_metadata(text: str) -> JabRefMetadata:
    """The metadata in the text of a BibTeX file; linear in its length."""
    paths: dict[str, str] = {}
    members: dict[str, list[str]] = {}
    folders: list[str] = []
    for name, value in _comments(text):
        if name in _TREES:
            _read_tree(value, paths, members)
        elif name.startswith("filedirectory") and not name.startswith("filedirectorylatex"):
            folders += filter(None, (unescape(part).strip() for part in split_escaped(value, ";")))
    return JabRefMetadata(paths, members, tuple(folders))


def _comments(text: str) -> Iterator[tuple[str, str]]:
    position = 0
    while (start := _METADATA.search(text, position)) is not None:
        # To the first brace, and on from there: comments that do not end cost nothing.
        end = text.find("}", start.end())
        if end < 0:
            return
        yield start[1].lower(), text[start.end() : end]
        position = end


def _read_tree(text: str, paths: dict[str, str], members: dict[str, list[str]]) -> None:
    around: dict[int, str] = {}
    # Older versions break lines wherever they are full.
    lines = split_escaped(re.sub(r"\r?\n", "", text), ";")
    for line in lines[:_MAX_GROUPS]:
        group = _GROUP.fullmatch(line)
        if group is None or group[2] == "AllEntriesGroup":
            continue
        level, fields = int(group[1]), [unescape(part) for part in split_escaped(unescape(group[3]), ";")]
        name = clean_line(fields[0])
        around = {depth: path for depth, path in around.items() if depth < level}
        outer = around[max(around)] if around else ""
        path = f"{outer}{GROUP_DIVIDER}{name}" if outer else name
        around[level] = path[:_MAX_PATH_CHARS]
        if not name or len(path) > _MAX_PATH_CHARS:
            continue
        paths.setdefault(name, path)
        if group[2] == "ExplicitGroup":
            for key in filter(None, map(str.strip, fields[2:])):
                members.setdefault(key, []).append(name)
