"""Zotero's database in the schemas of its versions: what comes in, copies while it is written to, hostile contents."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from zotero_databases import (
    FEED_LIBRARY,
    GROUP_LIBRARY,
    GROUP_NAME,
    GROUP_NUMBER,
    ZoteroDatabase,
    fill,
    write_better_bibtex,
    write_older_better_bibtex,
)

from litterm.core.errors import BadInput, UsageError
from litterm.importers.detect import Unreadable, detect
from litterm.importers.reader import FileReader
from litterm.importers.zotero import database_copy
from litterm.importers.zotero.database_copy import copy_database, open_copy
from litterm.importers.zotero.note import note_text, read_annotation
from litterm.importers.zotero.profiles import attachment_folder, find_database, with_database
from litterm.model.library import Failure, FileSkipped, FileStart, Parsed, ReadEvent
from litterm.model.paper import Author, FileAnnotation, Paper
from litterm.text.file_annotations import annotation_line

Read = Callable[[Path], list[ReadEvent]]


def annotations(paper: Paper) -> list[str]:
    """Those that the database holds, in its order."""
    return [annotation_line(one) for file in paper.imprint.annotated_files for one in file.annotations]


VERSIONS = (6, 7, 8, 9, 10)


@pytest.fixture
def database(tmp_path: Path) -> ZoteroDatabase:
    return ZoteroDatabase(tmp_path / "Zotero" / "zotero.sqlite")


def papers_in(path: Path) -> list[Paper]:
    events = list(FileReader().read(path, lambda _sha256: False))
    assert [event for event in events if isinstance(event, Failure)] == []
    return [event.paper for event in events if isinstance(event, Parsed)]


def paper_in(database: ZoteroDatabase) -> Paper:
    (paper,) = papers_in(database.path)
    return paper


@pytest.mark.parametrize("version", VERSIONS)
def test_two_thousand_items_of_a_running_zotero_come_in_with_all_they_have(tmp_path: Path, version: int) -> None:
    database = ZoteroDatabase(tmp_path / "zotero.sqlite", version)
    fill(database, 2000)
    database.lock()
    papers = papers_in(database.path)
    assert len(papers) == 2000
    paper = papers[1501]
    assert paper.id == "doi:10.5555/moss.1501"
    assert paper.title == "Mosses of the stony meadow number 1501"
    assert (paper.year, paper.date) == (2001, "2001-05")
    assert paper.authors == (Author("Lee61", "Ann"),)
    assert paper.imprint.editors == (Author("Chen", "Bo"),)
    assert (paper.type, paper.venue, paper.imprint.journal, paper.imprint.volume) == (
        "article", "Bryology", "Bryology", "22",
    )  # fmt: skip
    assert paper.abstract == "We counted 1501 mosses."
    assert set(paper.keywords) == {"moss", "plot 1"}
    assert paper.imprint.note == "Count again: 1501"
    assert annotations(paper) == ["p. 3, yellow: “mosses 1501” – check"]
    (file,) = paper.imprint.files
    assert file.startswith(str(tmp_path / "storage")) and file.endswith("/Lee1501.pdf")
    assert {paper.provenance.format for paper in papers} == {"zotero"}


def test_the_folder_of_a_running_zotero_is_left_as_it_was(database: ZoteroDatabase) -> None:
    fill(database, 50)
    database.lock()
    folder = database.path.parent

    def state() -> dict[str, tuple[str, int]]:
        return {
            file.name: (hashlib.sha256(file.read_bytes()).hexdigest(), file.stat().st_mtime_ns)
            for file in folder.iterdir()
        }

    before = state()
    assert len(papers_in(database.path)) == 50
    assert state() == before


def test_what_is_only_in_the_journal_comes_in(database: ZoteroDatabase) -> None:
    fill(database, 3)
    assert database.path.with_name("zotero.sqlite-wal").stat().st_size > 0
    (count,) = (
        sqlite3.connect(f"file:{database.path}?immutable=1", uri=True)
        .execute("SELECT count(*) FROM sqlite_master")
        .fetchone()
    )
    assert count == 0, "the tables have to be in the journal alone for this test"
    assert len(papers_in(database.path)) == 3


def test_a_change_in_the_journal_alone_makes_the_file_a_new_one(database: ZoteroDatabase) -> None:
    fill(database, 3)
    (first,) = [event for event in FileReader().read(database.path, lambda _: False) if isinstance(event, FileStart)]
    known = [*FileReader().read(database.path, lambda sha256: sha256 == first.sha256)]
    assert any(isinstance(event, FileSkipped) for event in known)
    main_file = database.path.read_bytes()
    database.add_item(title="One more")
    assert database.path.read_bytes() == main_file
    again = [*FileReader().read(database.path, lambda sha256: sha256 == first.sha256)]
    assert len([event for event in again if isinstance(event, Parsed)]) == 4


def test_a_transaction_that_was_cut_off_is_rolled_back(tmp_path: Path) -> None:
    database = ZoteroDatabase(tmp_path / "zotero.sqlite", 7)
    fill(database, 20)
    database.execute("PRAGMA cache_size=1")
    database.execute("PRAGMA synchronous=FULL")
    database.execute("BEGIN EXCLUSIVE")
    database.execute("DELETE FROM itemData")
    database.execute("DELETE FROM items WHERE itemID > 10")
    assert database.path.with_name("zotero.sqlite-journal").stat().st_size > 0
    assert len(papers_in(database.path)) == 20
    database.execute("ROLLBACK")


@pytest.mark.parametrize("version", [7, 10])
def test_a_database_that_is_written_all_the_time_is_read_whole_or_refused(
    version: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    database = ZoteroDatabase(tmp_path / "zotero.sqlite", version)
    fill(database, 300)
    database.close()
    ended = threading.Event()

    def write() -> None:
        connection = sqlite3.connect(database.path, isolation_level=None)
        while not ended.is_set():
            # One transaction: in a sound copy all items have the same version.
            connection.execute("UPDATE items SET version = version + 1")
            time.sleep(0.05)

    writer = threading.Thread(target=write)
    writer.start()
    monkeypatch.setattr(database_copy, "_FIRST_WAIT_S", 0.001)
    outcomes = set()
    try:
        for number in range(20):
            folder = tmp_path / f"copy-{number}"
            folder.mkdir()
            try:
                connection = open_copy(copy_database(database.path, folder))
            except BadInput as error:
                assert "writing to its database" in str(error)
                outcomes.add("refused")
                continue
            (count, is_one_version) = connection.execute(
                "SELECT count(*), min(version) = max(version) FROM items"
            ).fetchone()
            assert (count, is_one_version) == (1200, 1)
            connection.close()
            outcomes.add("read")
    finally:
        ended.set()
        writer.join()
    assert "read" in outcomes


def test_a_database_that_never_rests_is_refused_with_the_next_step(
    database: ZoteroDatabase, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(database_copy, "_FIRST_WAIT_S", 0.001)
    copy = database_copy.shutil.copyfile

    def copy_while_written(source: Path, target: Path) -> None:
        copy(source, target)
        database.add_item(title="Another one")

    monkeypatch.setattr(database_copy.shutil, "copyfile", copy_while_written)
    with pytest.raises(BadInput, match="close it, and repeat"):
        copy_database(database.path, tmp_path)


def test_creators_keep_their_roles_and_groups_their_whole_names(database: ZoteroDatabase) -> None:
    database.add_item(
        title="Moss",
        creators=[
            ("author", "Ludwig", "van den Berg"), ("author", "", "World Health Organization"),
            ("editor", "Ann", "Lee"), ("translator", "Bo", "Chen"), ("seriesEditor", "", "Moss Society"),
        ],
    )  # fmt: skip
    paper = paper_in(database)
    assert paper.authors == (
        Author("Berg", "Ludwig", prefix="van den"), Author("World Health Organization", is_literal=True),
    )  # fmt: skip
    assert paper.imprint.editors == (Author("Lee", "Ann"),)
    assert paper.imprint.note == "translator: Chen, Bo\nseries editor: Moss Society"


def test_related_items_are_lines_of_the_note(database: ZoteroDatabase) -> None:
    moss = database.add_item(title="Moss", key="MOSS2345")
    for key, title in (("FERN2345", "Fern\x1b"), ("TRSH2345", "In the trash"), ("SAME2345", "Not related")):
        database.add_item(title=title, key=key)
    (trashed,) = database.execute("SELECT itemID FROM items WHERE key = 'TRSH2345'")[0]
    database.trash(trashed)
    shared = database.add_item(title="Shared", key="SHAR2345", library=GROUP_LIBRARY)
    database.add_item(title="Lichen", key="LICH2345", library=GROUP_LIBRARY)
    database.relate(moss, "users/local/aB3/items/FERN2345")
    database.relate(moss, "users/12/items/SAME2345", "owl:sameAs")
    for address in ("users/12/items/TRSH2345", "users/12/items/GONE2345", "users/12/items/LICH2345", "users/12/items/"):
        database.relate(moss, address)
    database.relate(shared, f"groups/{GROUP_NUMBER}/items/LICH2345")
    notes = {paper.title: paper.imprint.note for paper in papers_in(database.path)}
    assert notes["Moss"] == "related: Fern (zotero:FERN2345)"
    assert notes["Shared"] == f"related: Lichen (zotero:{GROUP_NUMBER}-LICH2345)\ngroup library: {GROUP_NAME}"
    database.execute("DROP TABLE relationPredicates")
    assert {paper.imprint.note for paper in papers_in(database.path) if paper.title == "Moss"} == {""}


def test_a_patent_is_by_its_inventors(database: ZoteroDatabase) -> None:
    database.add_item("patent", title="A moss press", creators=[("inventor", "Ann", "Lee")])
    assert paper_in(database).authors == (Author("Lee", "Ann"),)


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        ("conferencePaper", {"proceedingsTitle": "Proc. of Moss"}, ("inproceedings", "Proc. of Moss", "")),
        ("conferencePaper", {"conferenceName": "MossConf 2020"}, ("inproceedings", "MossConf 2020", "")),
        ("bookSection", {"bookTitle": "All moss"}, ("chapter", "All moss", "")),
        ("preprint", {"archiveID": "arXiv:2101.00001"}, ("preprint", "arXiv", "arxiv:2101.00001")),
        ("preprint", {"repository": "bioRxiv", "DOI": "10.1101/20"}, ("preprint", "bioRxiv", "doi:10.1101/20")),
        ("thesis", {"university": "Moss College", "thesisType": "PhD"}, ("thesis", "", "")),
        ("report", {"extra": "DOI: 10.5555/r\nPMID: 123\n"}, ("report", "", "pmid:123")),
        ("journalArticle", {"PMCID": "PMC77", "PMID": 9}, ("article", "", "pmc:PMC77")),
        ("webpage", {"url": "https://arxiv.org/abs/2101.00002v2"}, ("preprint", "arXiv", "arxiv:2101.00002")),
        ("book", {"extra": "arXiv:2101.00003 [cs.CL]"}, ("book", "", "arxiv:2101.00003")),
    ],
)
def test_fields_by_type(
    database: ZoteroDatabase, kind: str, values: dict[str, object], expected: tuple[str, str, str]
) -> None:
    database.add_item(kind, title="Moss", key="MOSS2345", **values)
    paper = paper_in(database)
    assert (paper.type, paper.venue) == expected[:2]
    assert paper.id == expected[2] or (paper.id.startswith("local:") and not expected[2])
    assert "zotero:MOSS2345" in paper.aliases


def test_the_school_of_a_thesis_and_the_house_of_a_report_are_institutions(database: ZoteroDatabase) -> None:
    database.add_item("thesis", title="Moss", university="Moss College", thesisType="PhD thesis")
    paper = paper_in(database)
    assert (paper.imprint.institution, paper.imprint.publisher) == ("Moss College", "")


@pytest.mark.parametrize(
    ("stated", "year", "date"),
    [
        ("2015-05-12 12 May 2015", 2015, "2015-05-12"),
        ("2015-05-00 May 2015", 2015, "2015-05"),
        ("2024-00-00 2024", 2024, "2024"),
        ("0000-00-00 n.d.", None, ""),
        ("2019-03", 2019, "2019-03"),
        ("spring 1998", 1998, "1998"),
        (2007, 2007, "2007"),
        ("soon", None, ""),
    ],
)
def test_dates(database: ZoteroDatabase, stated: object, year: int | None, date: str) -> None:
    database.add_item(title="Moss", date=stated)
    paper = paper_in(database)
    assert (paper.year, paper.date) == (year, date)


def test_files_are_named_where_they_are(
    database: ZoteroDatabase, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    item = database.add_item(title="Moss")
    database.add_attachment(item, "storage:Über moss.pdf", key="FILE2345")
    database.add_attachment(item, "/elsewhere/linked.pdf", mode=2)
    database.add_attachment(item, "attachments:sub/based.pdf", mode=2)
    database.add_attachment(item, "storage:../../../etc/passwd", key="EVIL2345")
    database.add_attachment(item, None, mode=3)
    database.add_attachment(item, "storage:image.png", mode=4)
    database.trash(database.add_attachment(item, "storage:gone.pdf"))
    decomposed = database.path.parent / "storage" / "FILE2345" / "U\u0308ber moss.pdf"
    decomposed.parent.mkdir(parents=True)
    decomposed.touch()
    make_profile(tmp_path, baseAttachmentPath=str(tmp_path / "base"), dataDir=str(database.path.parent))
    assert paper_in(database).imprint.files == (
        str(decomposed), "/elsewhere/linked.pdf", str(tmp_path / "base" / "sub" / "based.pdf"),
    )  # fmt: skip


def test_annotations_say_page_colour_words_and_comment_in_their_order(database: ZoteroDatabase) -> None:
    item = database.add_item(title="Moss")
    attachment = database.add_attachment(item, "storage:a.pdf")
    database.add_annotation(attachment, 1, text="moss <grows>", color="#2ea8e5", pageLabel="xii", sortIndex="00009|1")
    database.add_annotation(attachment, 2, comment="why <b>only</b> here?", color="#123456", sortIndex="00002|1")
    database.add_annotation(attachment, 3, sortIndex="00010|1", position="{broken")
    database.trash(database.add_annotation(attachment, 1, text="gone"))
    assert annotations(paper_in(database)) == [
        "p. 3, #123456, note: why only here?",
        "p. xii, blue: “moss <grows>”",
        "yellow, image",
    ]


def test_notes_are_text_by_paragraphs() -> None:
    note = (
        '<div class="zotero-note znv1"><h1>My  note</h1><p>One &amp; two<br>H<sub>2</sub>O</p>'
        '<ul><li>a</li><li>b &lt; c</li></ul><!-- x --><p><img src="data:x"></p></div>'
    )
    assert note_text(note) == "My note\nOne & two\nH₂O\na\nb < c"


def test_citation_keys_come_from_zotero_better_bibtex_and_extra_in_this_order(database: ZoteroDatabase) -> None:
    folder = database.path.parent
    database.add_item(title="A", key="AAAA2222", citationKey="native", extra="Citation Key: extra")
    database.add_item(title="B", key="BBBB2222", extra="Citation Key: extra")
    database.add_item(title="C", key="CCCC2222", extra="Kept words\ncitation key: extra")
    database.add_item(title="D", key="DDDD2222")
    database.add_item(title="E", key="EEEE2222")
    write_better_bibtex(folder / "better-bibtex.sqlite", {"AAAA2222": "better", "BBBB2222": "better"})
    write_better_bibtex(folder / "better-bibtex.migrated", {"CCCC2222": "stale", "DDDD2222": "stale"})
    papers = papers_in(database.path)
    assert [paper.imprint.bibkey for paper in papers] == ["native", "better", "extra", "stale", ""]
    assert papers[2].imprint.note == "Kept words"


def test_keys_of_an_older_better_bibtex(database: ZoteroDatabase) -> None:
    number = database.add_item(title="A")
    write_older_better_bibtex(database.path.parent / "better-bibtex.sqlite", {number: "lee2020"})
    assert paper_in(database).imprint.bibkey == "lee2020"


def test_a_damaged_better_bibtex_costs_no_paper(database: ZoteroDatabase) -> None:
    database.add_item(title="A")
    database.path.with_name("better-bibtex.sqlite").write_bytes(b"SQLite format 3\0" + b"?" * 5000)
    assert paper_in(database).title == "A"


def test_groups_are_named_and_feeds_and_trash_left_out(database: ZoteroDatabase) -> None:
    database.add_item(title="Shared", library=GROUP_LIBRARY, key="SHARED23")
    database.add_item(title="News", library=FEED_LIBRARY)
    trashed = database.add_item(title="Gone")
    database.add_note(trashed, "gone, too")
    database.trash(trashed)
    paper = paper_in(database)
    assert paper.title == "Shared"
    assert f"zotero:{GROUP_NUMBER}-SHARED23" in paper.aliases
    assert paper.imprint.note == f"group library: {GROUP_NAME}"


def test_retractions_unless_the_user_has_dismissed_them(database: ZoteroDatabase) -> None:
    for number, flag in enumerate((0, 1, 2)):
        item = database.add_item(title=f"Moss {number}")
        reasons = json.dumps({"reasons": ["Error in data", "Plagiarism"]})
        database.execute("INSERT INTO retractedItems VALUES (?, ?, ?)", item, reasons, flag)
    retracted = "retracted: Error in data; Plagiarism"
    assert [paper.retraction for paper in papers_in(database.path)] == [retracted, "", retracted]


def test_an_item_without_title_is_a_failure_of_its_own_and_loose_files_are_counted(
    database: ZoteroDatabase, read: Read
) -> None:
    database.add_item(key="NONE2345", url="https://example.org")
    database.add_item(title="Moss")
    database.add_attachment(None, "storage:loose.pdf")
    database.add_note(None, "<p>alone</p>")
    events = read(database.path)
    (failure,) = [event for event in events if isinstance(event, Failure)]
    assert "NONE2345" in failure.cause and failure.origin == f"{database.path}!NONE2345"
    (parsed,) = [event for event in events if isinstance(event, Parsed)]
    assert parsed.remark.startswith("1 file in Zotero without an item")


@pytest.mark.parametrize(
    "table", ["items", "itemData", "itemDataValues", "creators", "deletedItems", "itemAttachments"]
)
def test_a_missing_table_is_named(database: ZoteroDatabase, read: Read, table: str) -> None:
    fill(database, 3)
    database.execute(f"DROP TABLE {table}")
    (failure,) = [event for event in read(database.path) if isinstance(event, Failure)]
    assert f"the table “{table}” is missing" in failure.cause


def test_a_missing_column_is_named(database: ZoteroDatabase, read: Read) -> None:
    database.execute("ALTER TABLE itemNotes RENAME COLUMN note TO words")
    (failure,) = [event for event in read(database.path) if isinstance(event, Failure)]
    assert "the table “itemNotes” has no column “note”" in failure.cause


@pytest.mark.parametrize(
    "table", ["groups", "itemAnnotations", "retractedItems", "baseFieldMappings", "fieldsCombined"]
)
def test_tables_that_some_versions_lack_are_not_missed(database: ZoteroDatabase, table: str) -> None:
    database.add_item(title="Moss")
    database.execute(f'DROP TABLE "{table}"')
    assert paper_in(database).title == "Moss"


def test_hostile_contents_make_sound_records(database: ZoteroDatabase, read: Read) -> None:
    item = database.add_item(
        title="Moss\0 and\x1b[2J \ud800".encode("utf-8", "surrogatepass"),
        creators=[("author", "An\0n", "L\x1bee")],
        tags=["\x07tag"],
        date=b"\xff\xfe",
        volume=7.5,
        DOI=-1,
        extra="x" * 500_000,
    )
    database.add_note(item, "<" * 200_000)
    database.add_note(item, "<p>" * 100_000 + "words")
    database.add_note(item, b"\0\xff")
    database.add_note(item, 12)
    attachment = database.add_attachment(item, b"storage:\xff.pdf")
    database.add_annotation(attachment, 99, text="<i>" * 50_000, position="[" * 50_000, color=b"\xff", pageLabel=3)
    database.execute("INSERT INTO retractedItems VALUES (?, ?, 0)", item, "[" * 50_000)
    started = time.monotonic()
    (parsed,) = [event for event in read(database.path) if isinstance(event, Parsed)]
    assert time.monotonic() - started < 5
    assert parsed.paper.title == "Moss and ���"
    assert parsed.paper.retraction == "retracted"
    assert parsed.paper.imprint.volume == "7.5"
    assert len(parsed.paper.imprint.note) < 250_000
    stored = repr(parsed.paper)
    assert "\\x00" not in stored and "\\x1b" not in stored and "\\x07" not in stored


def test_views_in_place_of_tables_are_never_run(database: ZoteroDatabase, read: Read) -> None:
    database.execute("DROP TABLE itemNotes")
    database.execute(
        "CREATE VIEW itemNotes AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        "SELECT i AS itemID, 1 AS parentItemID, 'x' AS note FROM n"
    )
    (failure,) = [event for event in read(database.path) if isinstance(event, Failure)]
    assert "“itemNotes” is missing" in failure.cause


@pytest.mark.parametrize("cut", [100, 5000, 60_000])
def test_a_damaged_database_is_a_failure(tmp_path: Path, read: Read, cut: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_copy, "_FIRST_WAIT_S", 0.001)
    database = ZoteroDatabase(tmp_path / "zotero.sqlite", 7)
    fill(database, 100)
    database.close()
    data = database.path.read_bytes()
    database.path.write_bytes(data[:cut] + b"\xa5" * 4096 + data[cut + 4096 : -9000])
    (failure,) = [event for event in read(database.path) if isinstance(event, Failure)]
    assert "damaged" in failure.cause or "Zotero" in failure.cause


def test_databases_are_recognised_by_content(database: ZoteroDatabase, tmp_path: Path) -> None:
    fill(database, 1)
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    head = database.path.read_bytes()[: 2**20]
    assert detect(head, "library.db") == "zotero"
    renamed = tmp_path / "library.db"
    renamed.write_bytes(database.path.read_bytes())
    assert len(papers_in(renamed)) == 1
    backup = detect(head, "zotero.sqlite.bak")
    assert isinstance(backup, Unreadable) and backup.ignorable and "rename it" in backup.cause
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE items (itemID)")
    found = detect(other.read_bytes(), "other.sqlite")
    assert isinstance(found, Unreadable) and found.ignorable


def make_profile(home: Path, **preferences: str) -> Path:
    root = home / ".zotero" / "zotero"
    profile = root / "abcd.default"
    profile.mkdir(parents=True)
    (root / "profiles.ini").write_text(
        "[General]\nStartWithLastProfile=1\n\n[Profile0]\nName=default\nIsRelative=1\nPath=abcd.default\nDefault=1\n"
    )
    lines = [f'user_pref("extensions.zotero.{name}", {json.dumps(value)});' for name, value in preferences.items()]
    lines.append('user_pref("extensions.zotero.useDataDir", true);')
    (profile / "prefs.js").write_text("// Mozilla User Preferences\n" + "\n".join(lines))
    return profile


def test_the_usual_folder_is_found(tmp_path: Path) -> None:
    database = tmp_path / "Zotero" / "zotero.sqlite"
    database.parent.mkdir()
    database.touch()
    assert find_database(tmp_path) == database


def test_a_moved_folder_is_found_before_the_usual_one(tmp_path: Path) -> None:
    moved = tmp_path / 'my "papers" \\ é' / "zotero.sqlite"
    for database in (moved, tmp_path / "Zotero" / "zotero.sqlite"):
        database.parent.mkdir()
        database.touch()
    make_profile(tmp_path, dataDir=str(moved.parent), baseAttachmentPath="/base")
    assert find_database(tmp_path) == moved
    assert attachment_folder(moved.parent, tmp_path) == "/base"
    assert attachment_folder(tmp_path / "Zotero", tmp_path) == ""


def test_profiles_of_macos_are_found(tmp_path: Path) -> None:
    moved = tmp_path / "Moved" / "zotero.sqlite"
    moved.parent.mkdir()
    moved.touch()
    make_profile(tmp_path, dataDir=str(moved.parent))
    library = tmp_path / "Library" / "Application Support"
    library.mkdir(parents=True)
    (tmp_path / ".zotero" / "zotero").rename(library / "Zotero")
    assert find_database(tmp_path) == moved


def test_without_zotero_the_error_names_the_places(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"{tmp_path}/Zotero.*litterm add"):
        with_database([Path("zotero")], tmp_path)
    assert with_database([Path("other")], tmp_path) == [Path("other")]


def test_an_annotation_without_words_still_says_where_it_is() -> None:
    assert annotation_line(read_annotation(4, "", "", "", "", '{"pageIndex": 0}')) == "p. 1, drawing"
    assert read_annotation(1, "", "", "", "", "") == FileAnnotation()
