"""`litterm sql` as typed: the views hold what the other commands show, and a statement can do nothing but read."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from commands import Command, Done, done
from documents import page

from litterm.cli.main import main
from litterm.library.segments.sql_views import VIEWS

ROWS = [
    {
        "id": "acl:P19-1",
        "title": "We prune heads",
        "authors": ["Moss, Ada", "Reed, Bo"],
        "year": 2019,
        "venue": "ACL",
        "doi": "10.5555/heads",
        "abstract": "=Heads can be pruned.",
        "sections": [
            {"title": "Methods", "text": "We prune heads. The café is élite — naïve. They follow Fern (2003)."},
            {"title": "Results", "text": "It works."},
        ],
        "references": [{"title": "Ferns grow in the shade", "authors": ["Fern, Cy"], "year": 2003}],
    },
    {"id": "acl:X1", "title": "One title", "year": 2000, "sections": [{"title": "Text", "text": "Of X1."}]},
    {"id": "acl:X2", "title": "One title", "year": 2002, "abstract": "Only here."},
    {"id": "acl:X3", "title": "One title", "year": 2004},
    {"id": "acl:W03-2", "title": "Ferns grow in the shade", "authors": ["Fern, Cy"], "year": 2003},
]
OWN = "@article{fern, title = {Ferns Grow in the Shade}, author = {Fern, Cy}, year = {2003}, note = {Signed.}}\n"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of papers with and without a full text, one of them read from two files."""
    home = tmp_path_factory.mktemp("sql")
    (home / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    (home / "own.bib").write_text(OWN, "utf-8")
    for name in ("rows.jsonl", "own.bib"):
        assert main(["--home", str(home), "add", str(home / name)]) == 0
    return home


@pytest.fixture
def litterm(library: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """`litterm(*argv)` over that library."""

    def command(*argv: str) -> Done:
        return done(main(["--home", str(library), *argv]), capsys)

    return command


def read(litterm: Command, statement: str) -> list[dict[str, object]]:
    answer = litterm("sql", "--json", statement)
    assert answer.status == 0, answer.err
    rows = answer.json["rows"]
    assert isinstance(rows, list)
    return rows


def test_a_paper_has_the_fields_that_show_prints(litterm: Command) -> None:
    for row in read(litterm, "FROM papers"):
        shown = litterm("show", str(row["id"]), "--json").json
        imported, sources = shown["imported"], shown["sources"]
        assert isinstance(imported, dict) and isinstance(sources, list)
        assert {name: row[name] for name in row if name in shown and name != "sources"} == {
            name: shown[name] for name in row if name in shown and name != "sources"
        }
        assert (row["imported_format"], row["imported_from"]) == (imported["format"], imported["origin"])
        assert row["sources"] == sorted({imported["origin"], *(source["origin"] for source in sources)})
    assert read(litterm, "SELECT doi FROM papers WHERE year = 2019") == [{"doi": "10.5555/heads"}]


def test_sentences_are_those_that_are_read(litterm: Command) -> None:
    shown = litterm("--plain", "read", "acl:P19-1").out
    rows = read(
        litterm, "SELECT text, section FROM sentences WHERE paper = 'acl:P19-1' AND kind = 'body' ORDER BY index"
    )
    assert [row["text"] for row in rows] == [
        *("We prune heads.", "The café is élite — naïve.", "They follow Fern (2003).", "It works.")
    ]
    assert [row["section"] for row in rows] == [*["Methods"] * 3, "Results"]
    assert all(str(row["text"]) in shown for row in rows)


def test_citations_and_marks_are_joined_with_papers(litterm: Command) -> None:
    assert litterm("mark", "acl:W03-2", "--star", "--decide", "include", "--tag", "moss, shade").status == 0
    joined = (
        "SELECT c.citing, c.year, p.title, m.starred, m.screening, m.tags FROM citations c"
        " JOIN papers p ON p.id = c.cited JOIN marks m ON m.paper = p.id"
    )
    assert read(litterm, joined) == [
        {
            "citing": "acl:P19-1",
            "year": 2019,
            "title": "Ferns grow in the shade",
            "starred": True,
            "screening": "included",
            "tags": ["moss", "shade"],
        }
    ]


def test_a_paper_that_is_only_filed_is_a_mark_with_its_collections(litterm: Command) -> None:
    assert litterm("mark", "acl:P19-1", "--collection", "Thesis/Methods").status == 0
    assert litterm("mark", "acl:P19-1", "--collection", "Read later").status == 0
    assert read(litterm, "SELECT paper, collections FROM marks WHERE paper = 'acl:P19-1'") == [
        {"paper": "acl:P19-1", "collections": ["Read later", "Thesis/Methods"]}
    ]


def test_merged_records_are_one_paper_and_removed_ones_none(litterm: Command) -> None:
    assert litterm("duplicates", "--merge", "acl:X1", "acl:X2").status == 0
    assert litterm("remove", "acl:X3").status == 0
    rows = read(litterm, "SELECT id, abstract, sources FROM papers WHERE title = 'One title'")
    assert [(row["abstract"], len(row["sources"])) for row in rows] == [("Only here.", 1)]  # type: ignore[arg-type]
    texts = read(litterm, "SELECT paper, text FROM sentences WHERE section = 'Text' AND kind = 'body'")
    assert texts == [{"paper": rows[0]["id"], "text": "Of X1."}]
    for command in (("duplicates", "--undo"), ("remove", "--undo", "acl:X3")):
        assert litterm(*command).status == 0
    assert len(read(litterm, "FROM papers WHERE title = 'One title'")) == 3


@pytest.mark.parametrize("example", re.findall(r"^litterm sql .*$", page("docs/reference/sql.md"), re.MULTILINE))
def test_the_examples_of_the_reference_find_something(litterm: Command, example: str) -> None:
    assert litterm("mark", "acl:P19-1", "--decide", "include", "--collection", "Thesis").status == 0
    answer = litterm(*shlex.split(example)[1:])
    assert (answer.status, answer.err) == (0, "")
    assert len(answer.out.splitlines()) > 1


def test_the_reference_names_every_view_and_column(litterm: Command) -> None:
    rows = {row[0]: row[2] for line in page("docs/reference/sql.md").splitlines() if len(row := cells(line)) == 3}
    assert [row["name"] for row in read(litterm, "SHOW TABLES")] == sorted(VIEWS)
    for view in VIEWS:
        columns = [row["column_name"] for row in read(litterm, f"DESCRIBE {view}")]
        assert set(re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", rows[f"`{view}`"]))) == set(columns)


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_rows_are_printed_as_a_table_and_as_csv_that_a_spreadsheet_does_not_act_on(litterm: Command) -> None:
    statement = "SELECT abstract, -1 AS n, [1, 2] AS list, NULL AS none FROM papers WHERE id = 'acl:P19-1'"
    assert litterm("sql", statement).out == "abstract\tn\tlist\tnone\n=Heads can be pruned.\t-1\t1; 2\t\n"
    printed = list(csv.reader(io.StringIO(litterm("sql", "--csv", statement).out)))
    assert printed == [["abstract", "n", "list", "none"], ["'=Heads can be pruned.", "-1", "1; 2", ""]]
    assert read(litterm, "SELECT 1 AS a, 2 AS a, 'nan'::DOUBLE AS b, {'c': DATE '2020-01-02'} AS d") == [
        {"a": 1, "a_2": 2, "b": None, "d": {"c": "2020-01-02"}}
    ]
    limited = litterm("sql", "--limit", "1", "FROM papers")
    assert "There are more rows than these 1;" in limited.err


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("SELECT titel FROM papers", "There is no column 'titel'; did you mean 'title'?"),
        ("SELECT p.titel FROM papers p", "There is no column 'titel'; did you mean 'title'?"),
        ("FROM paper", "There is no table 'paper'; did you mean 'papers'?"),
        ("SELECT 'a", "unterminated string literal."),
        ("", "Give a statement that begins with SELECT"),
        ("SELECT 1; SELECT 2", "Give one statement."),
        ("DELETE FROM papers", "Only statements that read are run"),
        ("COPY papers TO 'copy.csv'", "Only statements that read are run"),
        ("SET threads = 9", "Only statements that read are run"),
        ("ATTACH 'new.db'", "Only statements that read are run"),
        ("INSTALL httpfs", "Only statements that read are run"),
        ("LOAD httpfs", "Only statements that read are run"),
        ("CALL enable_logging()", "Only statements that read are run"),
        ("WITH new AS (INSERT INTO internal.hidden VALUES ('a', 1) RETURNING *) FROM new", "read-only"),
        ("FROM read_text('{file}')", "file system operations are disabled"),
        ("FROM glob('{file}*')", "file system operations are disabled"),
        ("FROM read_csv('https://example.org/a.csv')", "file system operations are disabled"),
        ("FROM '{file}'", "file system operations are disabled"),
        ("FROM enable_logging(storage = 'file', storage_config = {{'path': '{file}.log'}})", "locked"),
        ("FROM enable_profiling(save_location = '{file}.log')", "locked"),
    ],
)
def test_what_is_refused_is_one_sentence(litterm: Command, tmp_path: Path, statement: str, words: str) -> None:
    file = tmp_path / "secret.csv"
    file.write_text("a,b\n1,2\n")
    answer = litterm("sql", statement.format(file=file))
    assert (answer.status, answer.out) == (1, "")
    assert words in answer.err and answer.err.count("\n") == 1
    assert answer.err.startswith("litterm: ") and answer.err.endswith((".\n", "?\n"))
    assert [path.name for path in tmp_path.iterdir()] == ["secret.csv"]


def test_ctrl_c_ends_a_statement(library: Path) -> None:
    statement = "SELECT count(*) FROM range(1000000000000) WHERE range % 7 = 3"
    command = [sys.executable, "-m", "litterm", "--home", str(library), "sql", statement]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        # Printed once the statement runs.
        assert process.stderr.readline().strip() == "running the statement"
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
