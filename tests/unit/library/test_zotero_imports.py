"""A Zotero library in a litterm library: imported again, changed there and here, killed on the way."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from killed_imports import Warm
from zotero_databases import ZoteroDatabase, fill

from litterm.build import build_engine
from litterm.core.settings import from_home
from litterm.core.tasks import run
from litterm.engine import Engine
from litterm.model.library import ImportReport
from litterm.model.paper import Paper, PaperId


@pytest.fixture
def database(tmp_path: Path) -> ZoteroDatabase:
    return ZoteroDatabase(tmp_path / "Zotero" / "zotero.sqlite")


@pytest.fixture
def engine(home: Path) -> Engine:
    return build_engine(from_home(home))


def add(engine: Engine, database: ZoteroDatabase, *, retry: bool = False) -> ImportReport:
    return run(engine.add([database.path], retry=retry))


def test_again_nothing_is_new_and_changes_come_in_as_changes(engine: Engine, database: ZoteroDatabase) -> None:
    fill(database, 40)
    assert (add(engine, database).added, add(engine, database).skipped_files) == (40, 1)
    again = add(engine, database, retry=True)
    assert (again.added, again.merged, again.unchanged) == (0, 0, 40)
    (item,) = [row[0] for row in database.execute("SELECT itemID FROM items WHERE key = '22222222'")]
    database.set_value(item, "title", "Quite another title")
    database.set_value(item, "citationKey", "lee2000")
    database.execute("DELETE FROM itemTags WHERE itemID = ?", item)
    database.add_item(title="A new one", key="NEWB2345")
    changed = add(engine, database)
    assert (changed.added, changed.merged, changed.unchanged) == (1, 1, 39)
    paper = engine.paper(PaperId("zotero:22222222"))
    assert (paper.title, paper.imprint.bibkey, paper.keywords) == ("Quite another title", "lee2000", ())
    assert engine.paper(PaperId("zotero:NEWB2345")).title == "A new one"


def test_a_doi_that_is_added_later_leaves_the_id_as_it_was(engine: Engine, database: ZoteroDatabase) -> None:
    item = database.add_item(title="Mosses of the meadow", date="2001", key="MOSS2345")
    add(engine, database)
    before = engine.paper(PaperId("zotero:MOSS2345"))
    database.set_value(item, "DOI", "10.5555/moss")
    add(engine, database)
    after = engine.paper(PaperId("doi:10.5555/moss"))
    assert after.id == before.id and after.id.startswith("local:")
    assert engine.paper(PaperId("zotero:MOSS2345")) == after


def test_what_was_corrected_here_stays(engine: Engine, database: ZoteroDatabase) -> None:
    item = database.add_item(title="Moses of the meadow", key="MOSS2345")
    add(engine, database)
    paper = engine.paper(PaperId("zotero:MOSS2345"))
    run(engine.correct(paper.id, Paper(paper.id, "Mosses of the meadow")))
    database.set_value(item, "abstractNote", "An abstract, later.")
    add(engine, database)
    paper = engine.paper(PaperId("zotero:MOSS2345"))
    assert (paper.title, paper.abstract) == ("Mosses of the meadow", "An abstract, later.")


def test_one_paper_in_two_items_and_in_a_bibliography_is_one_paper(
    engine: Engine, database: ZoteroDatabase, tmp_path: Path
) -> None:
    for key in ("MOSS2345", "MOSS2346"):
        database.add_item(
            title="Mosses of the meadow", key=key, DOI="10.5555/moss", date="2001", creators=[("author", "Ann", "Lee")]
        )
    bibliography = tmp_path / "refs.bib"
    bibliography.write_text(
        "@article{lee, title={Mosses of the meadow}, author={Lee, Ann}, year=2001, doi={10.5555/moss}}"
    )
    report = run(engine.add([database.path, bibliography]))
    assert (report.added, report.merged + report.unchanged) == (1, 2)
    paper = engine.paper(PaperId("zotero:MOSS2345"))
    assert paper == engine.paper(PaperId("zotero:MOSS2346")) and len(paper.sources) == 3
    again = run(engine.add([database.path, bibliography], retry=True))
    assert (again.added, again.merged, again.unchanged) == (0, 0, 3)


KILLS = 4


def test_a_kill_at_any_moment_loses_nothing_that_was_stored(tmp_path: Path) -> None:
    database = ZoteroDatabase(tmp_path / "Zotero" / "zotero.sqlite", 7)
    fill(database, 200)
    database.lock()

    def new_root(name: str) -> Path:
        # A library of its own: the children of a killed import may still write to the one before.
        root = tmp_path / name
        root.mkdir()
        (root / "input").symlink_to(database.path.parent)
        return root

    with Warm() as warm:
        root = new_root("unkilled")
        unkilled = warm.run(root, "zotero")
        assert (unkilled.error, count(root)) == ("", 200)
        kills = 0
        for number in range(KILLS):
            root = new_root(f"killed-{number}")
            # Half of them between two accesses to files, half at any time.
            seam = 1 + unkilled.seams * number // KILLS if number % 2 else 0
            time_s = 0 if seam else unkilled.seconds * (number + 1) / (KILLS + 1)
            ended = warm.run(root, "zotero", die_at=seam, die_after_s=time_s)
            kills += ended.signal in (signal.SIGKILL, signal.SIGALRM)
            assert count(root) >= ended.stored
            assert warm.run(root, "zotero").error == ""
            assert count(root) == 200
    assert kills >= KILLS // 2
    again = run(build_engine(from_home(root / "home")).add([root / "input"], retry=True))
    assert (again.added, again.merged, again.unchanged) == (0, 0, 200)


def count(root: Path) -> int:
    return build_engine(from_home(root / "home")).status().papers
