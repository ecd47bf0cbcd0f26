"""Files of an index are compared with their checksums beside the search, once, and damage is named."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from libraries import record, store

from litterm.build import build_engine
from litterm.cli.main import main
from litterm.core.checksums import read_damage
from litterm.core.errors import LittermError
from litterm.core.settings import Settings, from_home
from litterm.core.tasks import run
from litterm.library.index import verification
from litterm.library.index.reader import INDEX_FOLDER, IndexFolder
from litterm.library.index.verification import MEMORY_FILE, IndexVerifier
from litterm.library.segments.library import DuckLibrary
from litterm.model.library import Segment

WEIGHTS = "data.csc.index.npy"
TOPICS = ("zebras", "okapis", "horses", "donkeys", "giraffes", "camels", "llamas", "tapirs")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    store(tmp_path / "library", [record(f"P{n}", f"On {topic} in the wild") for n, topic in enumerate(TOPICS)])
    return from_home(tmp_path)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The bytes of each piece that is read to compare it."""
    sizes: list[int] = []
    real = verification.crc32

    def counted(content: memoryview, crc: int) -> int:
        sizes.append(len(content))
        return real(content, crc)

    monkeypatch.setattr(verification, "crc32", counted)
    return iter([sizes])


def only_segment(settings: Settings) -> Segment:
    (segment,) = DuckLibrary(settings.library).snapshot().segments
    return segment


def flip(path: Path, *, bits: int = 1, same_time: bool = False) -> None:
    """Flips the lowest bits of numbers, which changes scores a little and nothing else."""
    status, content = path.stat(), bytearray(path.read_bytes())
    numbers = range(128 if path.suffix == ".npy" else 0, len(content), 4)
    for start in random.Random(1).choices(numbers, k=bits | 1):
        content[start] ^= 1
    path.write_bytes(content)
    if same_time:
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def open_all(settings: Settings, *, lasting: bool = False) -> IndexVerifier:
    """What a process does that opens the index: the verifier once it is done."""
    verifier = IndexVerifier(settings.library, settings.cache / MEMORY_FILE)
    if lasting:
        verifier.verify_all()
    reader, segment = IndexFolder(verifier=verifier), only_segment(settings)
    reader.part(segment)
    reader.vectors(segment)
    reader.title_index(segment)
    assert verifier.wait(30)
    verifier.close()
    return verifier


@pytest.mark.parametrize("name", ["data.csc.index.npy", "indices.csc.index.npy", "indptr.csc.index.npy"])
def test_a_search_of_heavily_damaged_postings_names_the_file(settings: Settings, name: str) -> None:
    path = only_segment(settings).folder / INDEX_FOLDER / name
    content, chance = bytearray(path.read_bytes()), random.Random(1)
    for _ in range(20_000):
        content[chance.randrange(128, len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)
    told = []
    for _ in range(2):
        try:
            told.append(" ".join(run(build_engine(settings).search("zebras")).notices))
        except LittermError as error:
            told.append(str(error))
    assert name in told[1]
    assert "`litterm add` rebuilds" in told[1]


def test_a_command_says_it_on_stderr_and_in_json(settings: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    segment = only_segment(settings)
    flip(segment.folder / INDEX_FOLDER / WEIGHTS, bits=101)
    home = ["--home", str(settings.config.parent)]
    for words in (
        ["search", "zebras"],
        ["cite", "Zebras live in the wild [CITATION]."],
        ["list", "zebras in the wild"],
    ):
        main([*home, *words, "--json"])
        shown = capsys.readouterr()
        (notice,) = (text for text in json.loads(shown.out)["notices"] if "ranked wrongly" in text)
        assert f"segments/{segment.key}/index/{WEIGHTS} does not have the checksum" in notice
        assert "`litterm add` rebuilds" in notice
        assert shown.err.count(notice) == 1
    main([*home, "evidence", "--query", "zebras", "Zebras are striped", "--json"])
    shown = capsys.readouterr()
    assert json.loads(shown.out)["notices"] == [notice]
    assert notice in shown.err


def test_a_damaged_index_is_no_proof_that_a_paper_is_absent(settings: Settings) -> None:
    excerpt = "Quantum chromodynamics confines quarks [CITATION]."
    assert run(build_engine(settings).cite(excerpt)).verdict == "absent"
    flip(only_segment(settings).folder / INDEX_FOLDER / WEIGHTS)
    assert run(build_engine(settings).cite(excerpt)).verdict == "unsure"


def test_what_is_sound_is_read_once(settings: Settings, reads: Iterator[list[int]]) -> None:
    sizes = next(reads)
    assert not open_all(settings).damage([only_segment(settings)])
    opened = ("part.pack", "vectors.pack", "facts.pack", WEIGHTS, "indices.csc.index.npy", "indptr.csc.index.npy")
    folder = only_segment(settings).folder / INDEX_FOLDER
    assert sum(sizes) == sum((folder / name).stat().st_size for name in opened)
    sizes.clear()
    open_all(settings)
    assert sizes == []
    # A file that was replaced is another one.
    content = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).unlink()
    (folder / WEIGHTS).write_bytes(content)
    open_all(settings)
    assert sum(sizes) == len(content)


def test_after_a_month_it_is_read_again(
    settings: Settings, reads: Iterator[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    open_all(settings)
    sizes = next(reads)
    sizes.clear()
    today = verification._today()
    monkeypatch.setattr(verification, "_today", lambda: today + 31)
    open_all(settings)
    assert sizes


def test_a_large_file_is_read_by_several_commands(
    settings: Settings, reads: Iterator[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes, segment = next(reads), only_segment(settings)
    file = next(file for file in segment.files if file.name.endswith("vectors.pack"))
    flip(segment.folder / file.name)
    monkeypatch.setattr(verification, "_CHUNK_BYTES", file.size // 3 + 1)
    real = verification.crc32
    for _ in range(3):
        verifier = IndexVerifier(settings.library, settings.cache / MEMORY_FILE)

        def one_piece(content: memoryview, crc: int, verifier: IndexVerifier = verifier) -> int:
            # The command ends while its first piece is compared.
            verifier._stop.set()
            return real(content, crc)

        with monkeypatch.context() as patch:
            patch.setattr(verification, "crc32", one_piece)
            verifier.add_opened(segment, ["vectors.pack"], {})
            thread = verifier._thread
            if thread is not None:
                thread.join()
            verifier.close()
    assert sum(sizes) == file.size
    assert verifier.damage([segment]) == (
        f"segments/{segment.key}/{file.name} does not have the checksum it was written with",
    )


GARBAGE = [
    b"",
    b"\xff\xfe\x00",
    b"[]",
    b"null",
    b'{"a": 1, "b": [1, 2], "c": [1, 2, 3, 4, 99, 6, 7], "d": ["1", 2, 3, 4, 5, 6, 7]}',
    b"[" * 200_000,
    b'{"a":' * 100_000,
]


@pytest.mark.parametrize("content", GARBAGE, ids=range(len(GARBAGE)))
def test_a_damaged_memory_is_made_anew(settings: Settings, content: bytes, reads: Iterator[list[int]]) -> None:
    memory = settings.cache / MEMORY_FILE
    memory.parent.mkdir()
    memory.write_bytes(content)
    sizes = next(reads)
    open_all(settings)
    assert sizes
    assert memory.stat().st_mode & 0o777 == 0o600
    sizes.clear()
    open_all(settings)
    assert sizes == []


def test_without_a_place_for_the_memory_damage_is_found_all_the_same(settings: Settings) -> None:
    # A file where the folder should be, as root may write everywhere.
    settings.cache.write_bytes(b"")
    segment = only_segment(settings)
    open_all(settings)
    flip(segment.folder / INDEX_FOLDER / WEIGHTS)
    assert len(open_all(settings).damage([segment])) == 1


def test_damage_of_a_read_only_library_is_remembered(
    settings: Settings, reads: Iterator[list[int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    # As `mark_damaged` does there.
    monkeypatch.setattr(verification, "mark_damaged", lambda _folder, _damage: None)
    segment, sizes = only_segment(settings), next(reads)
    flip(segment.folder / INDEX_FOLDER / WEIGHTS)
    open_all(settings)
    assert not read_damage(segment.folder)
    sizes.clear()
    assert WEIGHTS in open_all(settings).damage([segment])[0]
    assert sizes == []


def test_a_process_that_goes_on_compares_every_file_itself(settings: Settings) -> None:
    segment = only_segment(settings)
    open_all(settings)
    # Neither size nor time tell of a bit that a disk lost.
    flip(segment.folder / INDEX_FOLDER / WEIGHTS, same_time=True)
    assert not open_all(settings).damage([segment])
    flip(segment.folder / INDEX_FOLDER / "vocab.index.json", same_time=True)
    damaged = open_all(settings, lasting=True).damage([segment])
    assert [text.split()[0].rpartition("/")[2] for text in damaged] == [WEIGHTS, "vocab.index.json"]
    assert set(read_damage(segment.folder)) == {f"index/{WEIGHTS}", "index/vocab.index.json"}
    # What it has found commands know, too.
    assert open_all(settings).damage([segment])


def test_the_notice_ends_when_the_next_import_has_rebuilt_the_index(settings: Settings) -> None:
    flip(only_segment(settings).folder / INDEX_FOLDER / WEIGHTS)
    engine = build_engine(settings)
    run(engine.search("zebras"))
    assert "ranked wrongly" in engine.damage_notice()
    assert any("ranked wrongly" in notice for notice in engine.status().notices)
    store(settings.library, [])
    assert not any("ranked wrongly" in notice for notice in run(engine.search("zebras")).notices)
    assert engine.damage_notice() == ""


def test_of_many_damaged_files_some_are_named() -> None:
    assert verification.damage_sentence(()) == ""
    sentence = verification.damage_sentence([f"file{n} is gone" for n in range(5)])
    assert "file2 is gone, and 2 more files are damaged." in sentence
    assert "file3" not in sentence
