"""A bibliography that somebody keeps: what it holds under which key, and new entries without doubles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from litterm.errors import BadInput
from litterm.formats.bibtex import read_bibtex
from litterm.formats.contents import file_content
from litterm.model.library import Parsed
from litterm.model.paper import Paper
from litterm.render.bibtex import entries
from litterm.render.keys import citation_keys
from litterm.text.identity import identity_key, is_generic, paper_ids


@dataclass(frozen=True, slots=True)
class Bibliography:
    """The entries of one `.bib` file, in order; each paper's `imprint.bibkey` is its key there."""

    papers: tuple[Paper, ...] = ()

    def key_of(self, paper: Paper) -> str | None:
        """Under which key the file holds `paper`: by an id in common, else by title and numerals; `None` if not."""
        ids, title = set(paper_ids(paper)), identity_key(paper.title)
        for held in self.papers:
            if ids & set(paper_ids(held)):
                return held.imprint.bibkey
        if not title or is_generic(paper.title):
            return None
        return next((held.imprint.bibkey for held in self.papers if identity_key(held.title) == title), None)

    def grown(self, papers: Sequence[Paper]) -> tuple[dict[str, str], str]:
        """The key of each of `papers` by id, new or as held, and the text to append for those that are new."""
        keys: dict[str, str] = {}
        fresh: list[Paper] = []
        for paper in papers:
            held = Bibliography((*self.papers, *fresh)).key_of(paper)
            if held is None:
                held = citation_keys((*self.papers, *fresh, paper))[paper.id]
                fresh.append(replace(paper, imprint=replace(paper.imprint, bibkey=held)))
            keys[paper.id] = held
        return keys, entries(fresh)


def read_bibliography(path: Path) -> Bibliography:
    """The file at `path`; empty where there is none yet, or nothing in it.

    Raises:
        BadInput: it cannot be read.
    """
    try:
        size = path.stat().st_size
        if not path.read_bytes().strip():
            return Bibliography()
    except FileNotFoundError:
        return Bibliography()
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror}).") from error
    found = read_bibtex(file_content(path, size))
    return Bibliography(tuple(item.paper for item in found if isinstance(item, Parsed)))


def append_entries(path: Path, papers: Sequence[Paper]) -> dict[str, str]:
    """Adds those of `papers` that `path` lacks to its end; the key of each by id. What stands there is not touched.

    Raises:
        BadInput: the file cannot be read or written.
    """
    keys, text = read_bibliography(path).grown(papers)
    if text:
        try:
            before = path.read_bytes()[-2:] if path.exists() else b""
            gap = "" if not before or before == b"\n\n" else ("\n" if before.endswith(b"\n") else "\n\n")
            with path.open("a", encoding="utf-8", newline="") as file:
                file.write(gap + text)
        except OSError as error:
            raise BadInput(f"{path}: cannot be written ({error.strerror}).") from error
    return keys
