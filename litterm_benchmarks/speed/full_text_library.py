"""A library of any number of full texts, made from real ones, and what operations on it take."""

from __future__ import annotations

import ast
import gzip
import json
import os
import platform
import random
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, Final

from litterm.citations.background import start_background
from litterm.citations.store import CitationStore
from litterm.core.errors import BadInput, ChildFailed, DiskFull
from litterm.core.settings import from_home
from litterm.core.tasks import Task
from litterm.library.segments.library import DuckLibrary
from litterm.library.segments.manifest import SegmentEntry, read_manifest
from litterm.library.workers.compaction import publish_waiting
from litterm.library.workers.memory import peak_megabytes
from litterm.library.workers.process import environment, module_command
from litterm.library.workers.segments import compact
from litterm.library.writer.compaction import LARGE_BYTES, merge_segments
from litterm.model.events import Progress
from litterm_benchmarks.report import BenchReport, MethodRow, Metric
from litterm_benchmarks.speed.import_time import own_megabytes, run_command
from litterm_benchmarks.speed.key_latency import idle_rows
from litterm_benchmarks.speed.search_speed import ask, ranking_rows, searcher_of
from litterm_benchmarks.timing import row, time_once

SOURCES: Final = ("fulltext-acl/fulltext-acl.jsonl.gz", "biomedical-text/fulltext.jsonl.gz")
"""Real full texts, below the folder with the test data."""
_BYTES_PER_TEXT: Final = 250_000
"""On disk per text: the lines it is read from, its segment, and what compaction has still to remove."""
_EXCHANGED_SHARE: Final = 8
"""One sentence in so many is another paper's."""
_CITED_IN_LIBRARY: Final = 15
_CITED_ELSEWHERE: Final = 10
"""Entries of a reference list of papers that are not in the library; `_CITED_IN_LIBRARY` are of papers that are."""
_UNIQUE_WORDS: Final = 5
"""Words in each text that are in no other one: a vocabulary grows with every text."""
_FIRST_YEAR: Final = 1985
_YEAR_COUNT: Final = 40
_TEXTS_PER_EVENT: Final = 500
_POLL_S: Final = 2.0
"""Between two looks at how many reference lists are left."""
_MEMORY_POLL_S: Final = 0.02
"""Between two looks at the memory of a command."""
_REPEATS: Final = 3
"""Of each command; the median is told."""
_QUESTIONS: Final = 150
_FIRST_SINGLE_NUMBER: Final = 10_000_000
"""Numbers from here on are of papers that are added one by one."""


@dataclass(frozen=True, slots=True)
class RealText:
    """What is taken from a real paper."""

    title: str
    abstract: str
    sections: tuple[tuple[str, tuple[str, ...]], ...]
    """Titles with sentences."""


class TextMaker:
    """Papers with full texts and reference lists by number; the same number is always the same paper."""

    def __init__(self, texts: Sequence[RealText], names: Sequence[str]) -> None:
        """`names` are family names."""
        self._texts = texts
        self._names = names

    def line(self, number: int, count: int) -> str:
        """Paper `number` of a library of `count` as a line of JSON."""
        dice = random.Random(f"text {number}")
        text = self._texts[number % len(self._texts)]
        near = [self._any_paper(dice, min(count, _FIRST_SINGLE_NUMBER)) for _ in range(_CITED_IN_LIBRARY)]
        far = [_FIRST_SINGLE_NUMBER + dice.randrange(_FIRST_SINGLE_NUMBER) for _ in range(_CITED_ELSEWHERE)]
        cited = [paper for paper in dict.fromkeys((*near, *far)) if paper != number]
        record = {
            "id": f"local:text-{number}",
            "title": self._title(number),
            "abstract": text.abstract,
            "authors": [{"family": family} for family in self._families(number)],
            "year": _year(number),
            "sections": list(self._sections(text, number, cited, dice)),
            "references": [self._entry(paper) for paper in cited],
        }
        return json.dumps(record)

    def question(self, number: int) -> str:
        """Some words of a paper's title, as they are searched for."""
        return " ".join(word for word in self._title(number).split() if word.isalpha())[:80]

    def excerpt(self, number: int) -> str:
        """A sentence that cites the paper."""
        return f"We follow the approach of {self._title(number)} [CITATION] in all of our experiments."

    def _any_paper(self, dice: random.Random, count: int) -> int:
        # A few papers are cited by many.
        return int(count * dice.random() ** 3)

    def _title(self, number: int) -> str:
        # Numbers tell titles apart: equal ones would be taken for one paper.
        return f"Study {number}: {self._texts[number % len(self._texts)].title}"

    def _families(self, number: int) -> list[str]:
        dice = random.Random(f"names {number}")
        return [dice.choice(self._names) for _ in range(1 + dice.randrange(4))]

    def _entry(self, number: int) -> dict[str, object]:
        families, year, title = self._families(number), _year(number), self._title(number)
        text = f"{', '.join(families)}. {year}. {title}. In Proceedings of ACL."
        return {"authors": families, "year": year, "title": title, "text": text}

    def _sections(
        self, text: RealText, number: int, cited: Sequence[int], dice: random.Random
    ) -> Iterator[dict[str, object]]:
        words = [f"zq{number:x}{letter}" for letter in "abcdefghij"[:_UNIQUE_WORDS]]
        waiting = [
            *(f" ({self._families(paper)[0]} et al., {_year(paper)})" for paper in cited),
            *(f" {w}" for w in words),
        ]
        for title, sentences in text.sections:
            written = [
                self._any_sentence(dice) if dice.randrange(_EXCHANGED_SHARE) == 0 else paper for paper in sentences
            ]
            for index in range(0, len(written), 2):
                if waiting:
                    written[index] = f"{written[index].rstrip('. ')}{waiting.pop()}."
            yield {"title": title, "sentences": written}

    def _any_sentence(self, dice: random.Random) -> str:
        text = self._texts[dice.randrange(len(self._texts))]
        _, sentences = text.sections[dice.randrange(len(text.sections))]
        return sentences[dice.randrange(len(sentences))]


def measure(data: Path, count: int) -> Task[BenchReport]:
    """Import of `count` full texts made from those below `data`, then what each operation on that library takes.

    Raises:
        BadInput: there are no full texts below `data`.
        DiskFull: the temporary folder has no room for it.
    """
    maker = open_maker(data)
    with TemporaryDirectory(prefix="litterm-bench-") as folder:
        if shutil.disk_usage(folder).free < count * _BYTES_PER_TEXT:
            raise DiskFull(
                f"{count:,} texts need {count * _BYTES_PER_TEXT // 10**9 + 1} GB in {folder};"
                " set TMPDIR to a larger disk."
            )
        home = Path(folder) / "home"
        rows = yield from import_texts(maker, count, home)
        rows += yield from operation_rows(maker, count, home)
    machine = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    return BenchReport("speed", f"{count:,} full texts", _QUESTIONS, tuple(rows), (f"{count:,} full texts; {machine}",))


def open_maker(data: Path) -> TextMaker:
    """The maker of texts over the real ones below `data`.

    Raises:
        BadInput: there are none.
    """
    texts: list[RealText] = []
    names: dict[str, None] = {}
    for path in (data / name for name in SOURCES):
        if path.is_file():
            with gzip.open(path, "rt", encoding="utf-8") as lines:
                for fields in map(json.loads, lines):
                    texts += _real_text(fields)
                    names.update(dict.fromkeys(_family_names(fields.get("authors") or ())))
    if not texts:
        raise BadInput(f"{data} has none of {', '.join(SOURCES)}; name the folder with the test data")
    return TextMaker(texts, list(names) or ["Smith"])


def import_texts(maker: TextMaker, count: int, home: Path) -> Task[list[MethodRow]]:
    """The library of `count` texts in `home`, made by `litterm add`."""
    lines = home.parent / "texts.jsonl"
    with lines.open("w", encoding="utf-8") as stream:
        yield from _write_texts(stream, maker, count)
    imported = yield from run_command(["add", str(lines)], environment({"LITTERM_HOME": str(home)}), "importing")
    lines.unlink()
    read = yield from _await_reference_lists(from_home(home).library)
    return [imported.row(f"import of {count:,} full texts"), read]


def _await_reference_lists(root: Path) -> Task[MethodRow]:
    """Waits for the reference lists that `litterm add` leaves to another process."""
    began, store = time.perf_counter(), CitationStore(root)
    left = store.unread()
    while (unread := store.unread()) or store.is_leased():
        yield Progress("reading reference lists in the background", left - unread, left)
        time.sleep(_POLL_S)
        if not store.is_leased() and store.unread() == unread and (process := start_background(root)):
            # It was killed, or has not begun yet; of two one ends at once.
            process.wait()
    return MethodRow(
        "reference lists read behind it", (Metric("s", time.perf_counter() - began), Metric("lists", left))
    )


def operation_rows(maker: TextMaker, count: int, home: Path) -> Task[list[MethodRow]]:
    """What each operation on the library of `count` texts in `home` takes; a few papers are added to it."""
    known, excerpt, question = "local:text-0", maker.excerpt(count // 2), maker.question(count // 3)
    rows = [
        (yield from _adding_row(maker, count, home, "one paper added", full_text=False)),
        (yield from _adding_row(maker, count, home, "one full text added", full_text=True)),
        (yield from _command_row(home, "cite", ["cite", excerpt, "--json"])),
        (yield from _command_row(home, "first", ["first", question, "--json"])),
        (yield from _command_row(home, "refs --local", ["refs", known, "--local", "--json"])),
        (yield from _command_row(home, "search --one-hop", ["search", question, "--one-hop", "--json"])),
        (yield from _command_row(home, "search", ["search", question, "--json"])),
    ]
    rows += yield from _search_rows(maker, count, home)
    rows += yield from idle_rows(home)
    rows.append((yield from _compaction_row(from_home(home).library)))
    rows.append(
        (yield from _adding_row(maker, count, home, "one paper added after compaction", full_text=False, times=1))
    )
    return rows


def _search_rows(maker: TextMaker, count: int, home: Path) -> Task[list[MethodRow]]:
    questions = tuple(maker.question(number * 7919 % count) for number in range(_QUESTIONS))
    library = DuckLibrary(from_home(home).library)
    searcher = searcher_of(library)
    opened = time_once(ask, searcher, questions[0])
    yield from _add_one(maker, count, home, _unused_number(), full_text=True)
    after = [time_once(ask, searcher, questions[1])]
    rows = yield from ranking_rows(library, questions)
    return [row("first search", [opened]), row("first search after a publication", after), *rows]


def _adding_row(
    maker: TextMaker, count: int, home: Path, name: str, *, full_text: bool, times: int = _REPEATS
) -> Task[MethodRow]:
    usages = []
    for _ in range(times):
        usages.append((yield from _add_one(maker, count, home, _unused_number(), full_text=full_text)))
    return _usage_row(name, usages)


def _add_one(maker: TextMaker, count: int, home: Path, number: int, *, full_text: bool) -> Task[_Usage]:
    fields = json.loads(maker.line(number, count))
    if not full_text:
        del fields["sections"], fields["references"]
    file = home.parent / "one.jsonl"
    file.write_text(json.dumps(fields) + "\n", "utf-8")
    yield Progress("adding one paper")
    return _run_command(home, ["add", str(file)])


def _unused_number() -> int:
    return _FIRST_SINGLE_NUMBER + time.time_ns() % _FIRST_SINGLE_NUMBER


def _compaction_row(root: Path) -> Task[MethodRow]:
    """The largest one that an import can begin: as many segments as go together become one, in another process."""
    yield Progress("merging parts of the library")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as child:
        megabytes, usage, peak = child.submit(_merge_largest, root).result()
    metrics = (Metric("s", usage), Metric("peak MB", peak), Metric("MB of segments", megabytes))
    return MethodRow("compaction", metrics)


def _merge_largest(root: Path) -> tuple[float, float, float]:
    """Megabytes merged, seconds of it, and the most memory of this process."""
    began, manifest = time.perf_counter(), read_manifest(root)
    group: list[SegmentEntry] = []
    for entry in sorted(manifest.segments, key=lambda entry: entry.size):
        if sum(segment.size for segment in group) < LARGE_BYTES:
            group.append(entry)
    merge_segments(root, manifest, group, compact)
    publish_waiting(root)
    return sum(entry.size for entry in group) / 1e6, time.perf_counter() - began, peak_megabytes()


def _command_row(home: Path, name: str, arguments: Sequence[str]) -> Task[MethodRow]:
    usages = []
    for lap in range(_REPEATS + 1):
        yield Progress(f"litterm {name}", lap, _REPEATS + 1)
        usages.append(_run_command(home, arguments))
    # The first brings what is derived up to date, and the files into memory.
    return _usage_row(f"litterm {name}", usages[1:])


@dataclass(frozen=True, slots=True)
class _Usage:
    """What a command and its children took."""

    seconds: float
    cpu_s: float
    peak_mb: float
    """Of the largest process, with the pages of mapped files, which the system may take back at any time."""
    own_mb: float
    """Of the command itself, without mapped files; 0 where the system does not tell."""


def _run_command(home: Path, arguments: Sequence[str]) -> _Usage:
    began = time.perf_counter()
    process = subprocess.Popen(
        module_command("litterm", *arguments),
        env=environment({"LITTERM_HOME": str(home)}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    ended, own_mb = 0, 0.0
    while not ended:
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        own_mb = max(own_mb, own_megabytes(process.pid))
        time.sleep(_MEMORY_POLL_S)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise ChildFailed(f"litterm {arguments[0]} ended with {process.returncode}; run it by hand to see why.")
    return _Usage(time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, own_mb)


def _usage_row(name: str, usages: Sequence[_Usage]) -> MethodRow:
    middle = sorted(usages, key=lambda usage: usage.cpu_s)[len(usages) // 2]
    memory = (Metric("peak MB", middle.peak_mb), Metric("own MB", middle.own_mb))
    return MethodRow(name, (Metric("s", middle.seconds), Metric("cpu s", middle.cpu_s), *memory))


def _write_texts(stream: IO[str], maker: TextMaker, count: int) -> Task[None]:
    for number in range(count):
        if number % _TEXTS_PER_EVENT == 0:
            yield Progress("making full texts", number, count)
        stream.write(maker.line(number, count) + "\n")


def _year(number: int) -> int:
    return _FIRST_YEAR + random.Random(f"year {number}").randrange(_YEAR_COUNT)


def _real_text(fields: Mapping[str, Any]) -> list[RealText]:
    sections = []
    for section in fields.get("sections") or ():
        sentences = section.get("sentences") or section.get("text", "").replace("\n", " ").split(". ")
        texts = tuple(sentence.strip() for sentence in sentences if sentence.strip())
        if texts:
            sections.append((section.get("title", ""), texts))
    if not sections:
        return []
    return [RealText(str(fields["title"]), str(fields.get("abstract", "")), tuple(sections))]


def _family_names(authors: str | Sequence[str]) -> Iterator[str]:
    people = ast.literal_eval(authors) if isinstance(authors, str) else authors
    for person in people:
        if person.split() and person.split()[-1].isalpha():
            yield person.split()[-1]
