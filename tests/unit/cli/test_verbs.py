"""Every command: what it asks the engine, what it prints where, and how it ends."""

from __future__ import annotations

import io
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import Command
from fakes import PAPERS, ZEBRA, FakeEngine

from litterm.cli.commands import COMMANDS, COMMANDS_BY_NAME, GROUPS, HELP_GROUP, Subcommand
from litterm.cli.completion import KNOWN_VALUES
from litterm.model.events import Notice, PapersStored
from litterm.model.library import Failure, ImportReport
from litterm.render import lines


def test_search_json_keeps_the_contract(litterm: Command) -> None:
    done = litterm("search", "zebra", "--json", "-k", "1")
    assert (done.status, done.err) == (0, "1 of 2 found; -k shows more.\n")
    assert {"query": "zebra", "count": 1}.items() <= done.json.items()
    (row,) = done.json["results"]  # type: ignore[misc]
    assert list(row)[:8] == ["rank", "id", "title", "authors", "year", "venue", "score", "by"]
    assert (row["rank"], row["id"], row["authors"]) == (1, "acl:P18-1001", ["Änne Müller", "Chidi Okafor"])


def test_search_json_keeps_the_title_exactly_and_still_harms_no_terminal(litterm: Command) -> None:
    done = litterm("search", "zebra", "--json")
    assert done.json["results"][1]["title"] == PAPERS[1].title  # type: ignore[index]
    assert "\x1b" not in done.out
    assert "\u202e" not in done.out


def test_search_lines_show_no_escape_sequence(litterm: Command) -> None:
    done = litterm("search", "zebra")
    assert "Red zebra [bold]markup[/bold]  evil" in done.out
    assert "\x1b" not in done.out + done.err
    assert "\u202e" not in done.out
    assert "owned" not in done.out


def test_search_says_what_became_of_a_submission(litterm: Command) -> None:
    assert "ICLR 2020 · iclr:h1 · rejected" in litterm("search", "zebra").out


def test_an_empty_search_is_done_and_says_so(litterm: Command) -> None:
    done = litterm("search", "okapi", "--json")
    assert (done.status, done.json["count"], done.err) == (0, 0, "Nothing found in 2 papers.\n")


def test_options_are_the_query_language_spelled_as_flags(litterm: Command) -> None:
    engine = FakeEngine()
    flags = [
        "--venue",
        "ACL",
        "--venue",
        "emnlp",
        "--year",
        "2019..2023",
        "--author",
        'Danqi "Chen',
        "--type",
        "article",
    ]
    done = litterm("search", "zebra", "lines", "--json", *flags, "--full-text", "--sort", "newest", engine=engine)
    ((query, k, sort),) = engine.asked  # type: ignore[misc]
    filters = query.filters
    assert (filters.venues, filters.authors, filters.types) == (("acl", "emnlp"), ("Danqi Chen",), ("article",))
    assert (filters.years[0].first, filters.years[0].last, filters.full_text) == (2019, 2023, True)
    assert (k, sort, done.json["query"]) == (20, "newest", "zebra lines")


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["search", "zebra", "year:20x"], ["20x", "column"]),
        (["search", "zebra", "--year", "soon"], ["soon"]),
        (["search"], ["QUERY", "litterm search --help"]),
        (["search", "-k", "0", "x"], ["-k", "1 or more"]),
        (["search", "-k", "²", "x"], ["-k", "whole number"]),
        (["search", "-k", "many", "x"], ["-k"]),
        (["serach", "x"], ["'serach'", "'search'"]),
        (["search", "--ofline", "x"], ["--ofline"]),
        (["evidence", "P18-1001"], ["HYPOTHESIS"]),
        (["evidence", "P18-1001", " "], ["hypothesis", "empty"]),
        (["cite", " "], ["excerpt", "empty"]),
        (["export"], ["PAPER"]),
        (["add"], ["PATH"]),
        (["add", "-"], ["files"]),
        (["failures", "--retry", "--dismiss"], ["--dismiss"]),
        (["bench", "nonsense"], ["nonsense", "sentences"]),
        (["completion", "tcsh"], ["tcsh"]),
        (["read", "P18-1001"], ["terminal", "--plain"]),
        ([], ["terminal", "litterm search"]),
    ],
)
def test_a_wrong_request_is_one_line_and_status_2(litterm: Command, argv: list[str], words: list[str]) -> None:
    done = litterm(*argv)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("litterm: ")
    assert done.err.count("\n") == 1
    assert [word for word in words if word not in done.err] == []


@pytest.mark.parametrize("argv", [["show"], ["export"], ["evidence"], ["read", "--plain"]])
def test_an_unknown_paper_is_status_3(litterm: Command, argv: list[str]) -> None:
    done = litterm(*argv, "acl:nope", *(["hypothesis"] if argv == ["evidence"] else []))
    assert (done.status, done.out) == (3, "")
    assert "acl:nope" in done.err


def test_evidence_json_keeps_the_contract(litterm: Command) -> None:
    done = litterm("evidence", "P18-1001", "zebras", "are fast", "--json")
    assert list(done.json)[:5] == ["paper", "hypothesis", "by", "document", "sentences"]
    assert (done.json["paper"], done.json["hypothesis"]) == ("acl:P18-1001", "zebras are fast")
    first, second = done.json["sentences"]  # type: ignore[misc]
    assert list(first)[:7] == ["rank", "index", "section", "kind", "page", "text", "score"]
    assert (first["index"], first["section"], first["kind"], first["page"]) == (2, "Results", "body", None)
    assert (second["index"], second["page"]) == (3, 6)
    assert done.err == "A notice.\n"


def test_evidence_lines_hold_strength_locator_and_harmless_text(litterm: Command) -> None:
    done = litterm("evidence", "acl:P18-1001", "zebras", "-k", "2", "--results")
    assert "  1  on topic · Results §4 ¶1 s1\n     Zebras are ten times faster.\n" in done.out
    assert "  2  mentions · Results §4 ¶1 s2 p.6\n     Red zebras are not.\n" in done.out


def test_cite_json_keeps_the_contract(litterm: Command) -> None:
    engine = FakeEngine()
    done = litterm("cite", "zebra", "[CITATION]", "--before", "2019", "-k", "1", "--mark", "2", "--json", engine=engine)
    assert engine.asked == [("zebra [CITATION]", 1, "2019", 1, "")]
    assert list(done.json)[:4] == ["excerpt", "by", "candidates", "steps"]
    (row,) = done.json["candidates"]  # type: ignore[misc]
    assert list(row)[:5] == ["rank", "id", "title", "year", "score"]
    assert (done.status, row["id"]) == (0, "acl:P18-1001")


def test_cite_json_tells_verdict_confidence_and_key(litterm: Command) -> None:
    done = litterm("cite", "zebra [CITATION]", "--json")
    assert (done.json["verdict"], done.json["confidence"], done.json["kind"]) == ("found", 0.6, "attributable")
    (first, _) = done.json["candidates"]  # type: ignore[misc]
    assert (first["confidence"], first["why"], first["key"]) == (0.6, ["near in meaning"], "muller-okafor-2018-zebra")
    assert "Probably" in done.err
    assert "60%" in done.err


def test_every_mark_of_an_excerpt_is_answered(litterm: Command) -> None:
    engine = FakeEngine()
    text = "zebra lines [CITATION] and zebra spots [CITATION]"
    done = litterm("cite", text, "--all-marks", "--source", "acl:X", "--json", engine=engine)
    assert [asked[3:] for asked in engine.asked] == [(0, "acl:X"), (1, "acl:X")]  # type: ignore[index]
    assert (done.json["count"], len(done.json["marks"])) == (2, 2)  # type: ignore[arg-type]


def test_the_first_candidate_goes_into_a_bibliography_once(litterm: Command, tmp_path: Path) -> None:
    refs = tmp_path / "refs.bib"
    refs.write_text("@misc{mine, title = {Something else entirely}}\n", "utf-8")
    for _ in range(2):
        done = litterm("cite", "zebra [CITATION]", "--append", str(refs))
        assert (done.status, done.out) == (0, "muller-okafor-2018-zebra\n")
    held = refs.read_text("utf-8")
    assert held.startswith("@misc{mine,")
    assert held.count("muller-okafor-2018-zebra") == 1
    assert litterm("cite", "zebra [CITATION]", "--key").out == "muller-okafor-2018-zebra\n"


def test_what_the_library_lacks_is_status_3_with_a_query_for_elsewhere(litterm: Command) -> None:
    done = litterm("cite", "okapi [CITATION]", "--key")
    assert (done.status, done.out) == (3, "")
    assert "okapi ranking" in done.err


def test_a_row_of_a_batch_that_cannot_be_read_costs_itself_only(litterm: Command, tmp_path: Path) -> None:
    sound, marked = {"id": 7, "excerpt": "Zebras run [CITATION]"}, {"id": "y", "excerpt": "Z [CITATION]", "mark": "a"}
    rows = (json.dumps(sound), "{broken", "[1]", '{"id": "x"}', json.dumps(marked))
    (tmp_path / "in.jsonl").write_text("\n".join(rows))
    done = litterm("cite", "--batch", str(tmp_path / "in.jsonl"))
    told = [json.loads(line) for line in done.out.splitlines()]
    assert (done.status, [(each["id"], "error" in each) for each in told]) == (
        1,
        [("7", False), ("2", True), ("3", True), ("x", True), ("y", True)],
    )


def test_a_batch_may_be_cut_at_semicolons_and_must_hold_excerpts(litterm: Command, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("id;excerpt\n1;Zebras, all of them, run [CITATION]\n")
    assert litterm("cite", "--batch", str(tmp_path / "in.csv")).status == 0
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    done = litterm("cite", "--batch", str(tmp_path / "other.csv"))
    assert (done.status, done.out) == (1, "") and "other.csv:2: no `excerpt`" in done.err


def test_a_batch_goes_on_where_it_stopped(litterm: Command, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(
        'id,excerpt,year,source_paper_title\n1,"zebra, [CITATION]",2019,Herds\n2,okapi [CITATION],,\n', "utf-8"
    )
    engine, out = FakeEngine(), tmp_path / "out.jsonl"
    by = '"written_by": "litterm cite --batch"'
    out.write_text(f'{{{by}, "id": "1", "verdict": "found"}}\n{{{by}, "id": "2", "verd', "utf-8")
    done = litterm("cite", "--batch", str(tmp_path / "in.csv"), "-o", str(out), engine=engine)
    assert (done.status, len(engine.asked)) == (0, 1)
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [(row["id"], row["verdict"]) for row in rows] == [("1", "found"), ("2", "absent")]
    done = litterm("cite", "--batch", str(tmp_path / "in.csv"), engine=engine)
    assert engine.asked[1] == ("zebra, [CITATION]", 5, "2019", 0, "Herds")
    assert [json.loads(line)["id"] for line in done.out.splitlines()] == ["1", "2"]


def test_a_batch_touches_no_file_it_did_not_write(litterm: Command, tmp_path: Path) -> None:
    source, foreign = tmp_path / "in.csv", tmp_path / "thesis.tex"
    source.write_text('excerpt\n"zebra, [CITATION]"\n', "utf-8")
    for content in ("A thesis\nwithout an end", '{"id": "1"}\n{"id": "2", "cut', "{}", "\n"):
        foreign.write_text(content, "utf-8")
        done = litterm("cite", "--batch", str(source), "-o", str(foreign))
        assert done.status != 0 and "was not written by `litterm cite --batch`" in done.err
        assert foreign.read_text("utf-8") == content
    done = litterm("cite", "--batch", str(source), "-o", str(source))
    assert done.status == 2 and "is the input" in done.err
    (tmp_path / "here").mkdir()
    link = tmp_path / "here" / "out.jsonl"
    link.symlink_to(foreign)
    assert "is a link to" in litterm("cite", "--batch", str(source), "-o", str(link)).err
    assert foreign.read_text("utf-8") == "\n"
    assert litterm("cite", "--batch", str(source), "-o", str(foreign), "--force").status == 0
    assert json.loads(foreign.read_text("utf-8"))["written_by"] == "litterm cite --batch"
    assert "1 of 1 were answered before" in litterm("cite", "--batch", str(source), "-o", str(foreign)).err


def test_cite_reads_a_file_and_stdin(litterm: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "excerpt.txt").write_bytes(b"zebra \xff[CITATION]\n")
    for argv in (["cite", str(tmp_path / "excerpt.txt")], ["cite", "-"], ["cite"]):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"zebra \xff[CITATION]\n")))
        assert litterm(*argv, "--json").json["excerpt"] == "zebra \ufffd[CITATION]\n"


def test_a_long_excerpt_is_not_taken_for_a_path(litterm: Command) -> None:
    assert litterm("cite", "zebra " * 2000).status == 0


def test_cite_without_a_candidate_is_status_3(litterm: Command) -> None:
    done = litterm("cite", "okapi [CITATION]", "--json")
    assert (done.status, done.json["candidates"]) == (3, [])


def test_cite_bibtex_gives_an_entry_a_candidate(litterm: Command) -> None:
    out = litterm("cite", "zebra [CITATION]", "--bibtex").out
    assert out.count("@inproceedings{muller-okafor-2018-zebra,") == 1
    assert out.count("@misc{") == 1


def test_show_json_holds_record_document_and_notes(litterm: Command) -> None:
    done = litterm("show", "doi:10.1/zebra", "--json")
    assert (done.json["id"], done.json["pages"], done.json["bibkey"]) == (ZEBRA.id, "1-9", "muller-okafor-2018-zebra")
    assert done.json["document"]["sentences"] == 4  # type: ignore[index]
    assert done.json["notes"]["tags"] == ["stripes"]  # type: ignore[index]


def test_show_lines_are_harmless(litterm: Command) -> None:
    done = litterm("show", "h1")
    assert "Red zebra [bold]markup[/bold]" in done.out
    assert "\x1b" not in done.out
    assert "decision: reject" in done.out


def test_read_plain_prints_the_paper_in_reading_order(litterm: Command) -> None:
    out = litterm("read", "P18-1001", "--plain").out
    assert "4 Results\n\nZebras are ten times faster. Red zebras are not.\n" in out
    assert "\x1b" not in out


def test_plain_without_a_command_says_what_there_is(litterm: Command) -> None:
    assert "2 papers, 1 with full text" in litterm("--plain").out


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (["P18-1001"], ["P18-1001"]),
        (["--accepted"], (ZEBRA.id,)),
        (["--query", "zebra", "-k", "1"], [ZEBRA.id]),
        (["--all"], None),
    ],
)
def test_export_has_the_scopes_of_the_workbench(litterm: Command, words: list[str], asked: object) -> None:
    engine = FakeEngine()
    assert "keywords = {stripes}" in litterm("export", *words, engine=engine).out
    assert engine.asked[-1] == ("export", asked, "bibtex", True)
    assert "keywords" not in litterm("export", *words, "--no-notes", engine=engine).out


def test_export_refuses_two_scopes_and_none(litterm: Command) -> None:
    for words in ([], ["P18-1001", "--all"], ["--accepted", "--query", "zebra"], ["P18-1001", "-k", "3"]):
        assert litterm("export", *words).status == 2


def test_export_writes_a_file_and_keeps_what_stood_there(litterm: Command, tmp_path: Path) -> None:
    out = tmp_path / "out.bib"
    out.write_text("mine")
    done = litterm("export", "P18-1001", "-o", str(out))
    assert (done.status, done.out) == (0, "")
    assert out.read_text().startswith("@inproceedings{")
    assert (tmp_path / "out.bib~").read_text() == "mine"
    assert "out.bib~" in done.err


@pytest.mark.parametrize(
    ("flag", "start"),
    [
        ("--bibtex", "@inproceedings{"),
        ("--ris", "TY  - CONF"),
        ("--csl", "[\n"),
        ("--markdown", "# Papers"),
        ("--csv", "key,id,title"),
    ],
)
def test_export_speaks_every_form(litterm: Command, flag: str, start: str) -> None:
    assert litterm("export", "P18-1001", flag).out.startswith(start)


@pytest.mark.parametrize("number", ["1000000000", "9" * 5000])
def test_more_than_there_can_be_is_all_there_are(litterm: Command, number: str) -> None:
    assert litterm("search", "zebra", "-k", number, "--json").status == 0
    assert litterm("evidence", "P18-1001", "zebras are fast", "-k", number, "--json").status == 0
    assert litterm("cite", "Zebras run [CITATION]", "-k", number, "--json").status == 0


@pytest.mark.parametrize("word", ["./missing.txt", "missing.tex", "folder.md", "/", "binary.txt"])
def test_what_is_meant_as_a_file_is_not_searched_for(
    litterm: Command, word: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.md").mkdir()
    (tmp_path / "binary.txt").write_bytes(b"\x7fELF\0\0")
    done = litterm("cite", word)
    assert (done.status, done.out, done.err.count("\n")) == (1, "", 1)
    assert word.removeprefix("./") in done.err


def test_export_takes_ids_from_stdin(litterm: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("P18-1001\n\niclr:h1\n"))
    assert litterm("export", "-").out.count("\n@") + 1 == 2


def test_add_reports_and_failures_make_it_status_1(litterm: Command, tmp_path: Path) -> None:
    engine = FakeEngine(
        failing=(Failure("a\x1b[31m.pdf", "is no PDF."),), events=(PapersStored(20_000), Notice("Waiting."))
    )
    done = litterm("add", str(tmp_path), "--json", engine=engine)
    assert (done.status, done.json["added"]) == (1, 2)
    assert done.err.splitlines() == [
        "stored 20,000 papers",
        "Waiting.",
        "a.pdf: is no PDF.",
        "1 could not be imported; `litterm failures` lists them.",
    ]
    assert engine.asked == [((tmp_path,), False), "citations"]


def test_one_of_a_thing_is_told_in_the_singular(litterm: Command, tmp_path: Path) -> None:
    done = litterm("add", str(tmp_path), engine=FakeEngine(events=(PapersStored(1),)))
    assert done.err == "stored 1 paper\n"
    assert lines.import_report(ImportReport(1, documents=1, skipped_files=1), lines.LineOptions())[1:] == [
        "1 full text stored",
        "1 file already imported, skipped",
    ]
    alone = litterm("failures", engine=FakeEngine(failing=(Failure("x.pdf", "is no PDF."),)))
    assert alone.err == "1 failed input; --retry tries it again, --dismiss forgets it.\n"
    assert litterm("failures").err == "0 failed inputs.\n"


def test_a_file_in_the_working_directory_goes_by_its_short_name(
    litterm: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    engine = FakeEngine(failing=(Failure(f"{tmp_path}/in/x.pdf", "is no PDF."), Failure("/else/y.pdf", "is none.")))
    assert litterm("failures", engine=engine).out == "in/x.pdf: is no PDF.\n/else/y.pdf: is none.\n"


def test_an_empty_path_is_not_the_working_directory(litterm: Command) -> None:
    engine = FakeEngine()
    done = litterm("add", "", engine=engine)
    assert (done.status, done.err, engine.asked) == (2, "litterm: a PATH is empty\n", [])


def test_add_without_failures_is_status_0(litterm: Command, tmp_path: Path) -> None:
    done = litterm("add", str(tmp_path))
    assert (done.status, done.out) == (0, "2 added (1.2 s)\n")


def test_failures_are_listed_retried_and_dismissed(litterm: Command) -> None:
    engine = FakeEngine(failing=(Failure("x.pdf", "is no PDF."),))
    assert litterm("failures", engine=engine).out == "x.pdf: is no PDF.\n"
    assert litterm("failures", "--json", engine=engine).json["count"] == 1
    assert litterm("failures", "--dismiss", engine=engine).out == "1 dismissed\n"
    assert litterm("failures", "--retry", engine=engine).status == 0


def test_options_for_everything_go_before_or_after_the_command(litterm: Command, tmp_path: Path) -> None:
    for argv in (["--home", str(tmp_path), "--offline", "doctor"], ["doctor", "--home", str(tmp_path), "--offline"]):
        found = litterm(*argv, "--json").json
        assert {"name": "offline", "value": "true", "where": "--offline"}.items() <= _row(found, "offline").items()
        assert _row(found, "library", "folders")["value"] == str(tmp_path / "library")


def _row(found: dict[str, object], name: str, section: str = "settings") -> dict[str, object]:
    rows: list[dict[str, object]] = json.loads(json.dumps(found[section]))
    return next(row for row in rows if row["name"] == name)


def test_doctor_names_every_package_place_and_count(litterm: Command) -> None:
    done = litterm("doctor", "--json")
    assert _row(done.json, "duckdb", "versions")["state"] == "ok"
    assert _row(done.json, "papers", "library")["value"] == "2"
    assert _row(done.json, "parts", "index")["value"].startswith("2")  # type: ignore[attr-defined]
    assert _row(done.json, "clipboard", "terminal")["value"]
    assert {"config", "library", "cache", "log", "themes"} == {row["name"] for row in done.json["folders"]}  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("papers", "faiss", "told"),
    [
        (10**6, True, " nearest: every vector is compared  (up to 1,000,000 papers)"),
        (0, True, " nearest: faiss, over the vectors of large segments"),
        (0, False, " nearest: every vector is compared\n     -> "),
    ],
)
def test_doctor_says_how_the_nearest_papers_are_found(
    litterm: Command, monkeypatch: pytest.MonkeyPatch, papers: int, faiss: bool, told: str
) -> None:
    monkeypatch.setattr("litterm.model.index.MIN_PAPERS_FOR_ANN", papers)
    monkeypatch.setattr("litterm.library.index.vectors.can_group", lambda: faiss)
    assert told in litterm("doctor").out


def test_doctor_works_on_faulty_settings_and_names_the_fault(litterm: Command, home: Path) -> None:
    (home / "config.toml").write_text("ofline = true", encoding="utf-8")
    assert litterm("search", "x").status == 2
    done = litterm("doctor")
    assert done.status == 1
    assert "'ofline'; did you mean 'offline'?\n" in done.out


def test_doctor_tells_a_theme_that_is_not_there(litterm: Command, home: Path) -> None:
    assert "theme not found" not in litterm("doctor").out
    (home / "config.toml").write_text('theme = "litterm-drak"', encoding="utf-8")
    done = litterm("doctor", "--json")
    row = _row(done.json, "theme not found", "settings")
    assert (done.status, row["state"], row["value"]) == (1, "bad", "litterm-drak")
    assert str(row["hint"]).startswith("did you mean litterm-dark? there are ")
    (home / "themes").mkdir()
    (home / "themes" / "drak.toml").write_text("name = 3", encoding="utf-8")
    assert "drak.toml: name is 3" in litterm("doctor").out


def test_doctor_lists_variables_nobody_reads(litterm: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITTERM_OFLINE", "1")
    assert "LITTERM_OFLINE: not read" in litterm("doctor").out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_knows_every_command_and_option(litterm: Command, shell: str) -> None:
    script = litterm("completion", shell).out
    words = ["search", "evidence", "cite", "failures", "doctor", "dismiss", "bibtex", "results", "venue"]
    assert [word for word in words if word not in script] == []


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("sync ", "acl iclr pmc arxiv s2 counts"),
        ("sync a", "acl arxiv"),
        ("sync --for", "--forget"),
        ("find x --in ", "s2 arxiv europepmc pubmed openalex"),
        ("completion ", "bash zsh fish"),
        ("search x --sort new", "newest"),
        ("--offline search --sor", "--sort"),
        ("add pyproject.to", "pyproject.toml"),
        ("cite --file pyproject.to", "pyproject.toml"),
    ],
)
def test_bash_offers_values_where_a_value_is_expected(litterm: Command, line: str, offered: str) -> None:
    words = ["litterm", *line.split(" ")]
    completed = subprocess.run(
        ["bash", "-s"],
        input="\n".join(
            (
                f"cd {shlex.quote(str(Path(__file__).parents[3]))}",
                litterm("completion", "bash").out,
                f"COMP_WORDS=({' '.join(map(shlex.quote, words))})",
                f"COMP_CWORD={len(words) - 1}",
                "_shtab_litterm",
                'echo "${COMPREPLY[*]}"',
            )
        ),
        capture_output=True,
        text=True,
        check=True,
    )
    assert completed.stdout.strip() == offered


@pytest.mark.skipif(shutil.which("fish") is None, reason="needs fish")
def test_fish_offers_values_where_a_value_is_expected(litterm: Command, tmp_path: Path) -> None:
    script = tmp_path / "litterm.fish"
    script.write_text(litterm("completion", "fish").out, encoding="utf-8")
    command = f"source {shlex.quote(str(script))}; complete -C 'litterm sync a'"
    completed = subprocess.run(["fish", "-c", command], capture_output=True, text=True, check=True)
    assert [line.split("\t")[0] for line in completed.stdout.splitlines()] == ["acl", "arxiv"]


@pytest.mark.skipif(shutil.which("zsh") is None, reason="needs zsh")
def test_zsh_reads_its_script(litterm: Command, tmp_path: Path) -> None:
    script = tmp_path / "_litterm"
    script.write_text(litterm("completion", "zsh").out, encoding="utf-8")
    assert script.read_text("utf-8").startswith("#compdef litterm\n")
    assert subprocess.run(["zsh", "-n", str(script)], capture_output=True, text=True, check=True).stderr == ""


def test_completed_values_are_those_of_the_help(litterm: Command) -> None:
    for (command, _argument), names in KNOWN_VALUES.items():
        said = litterm("help").out + " ".join(COMMANDS_BY_NAME) if command == "help" else litterm(command, "--help").out
        text = " ".join(said.split())
        assert [name for name in names if not re.search(rf"\b{name}\b", text)] == []


@pytest.mark.parametrize("argv", [["--help"], ["search", "--help"], ["--help", "search"], ["--version"]])
def test_help_and_version_go_to_stdout(litterm: Command, argv: list[str]) -> None:
    done = litterm(*argv)
    assert (done.status, done.err) == (0, "")
    assert "litterm" in done.out


def test_help_shows_every_command_in_its_group_on_one_small_screen(litterm: Command) -> None:
    lines = litterm("--help").out.splitlines()
    assert len(lines) < 24
    assert max(map(len, lines)) <= 80
    assert [line for line in lines if line in GROUPS] == list(GROUPS[1:])
    assert "help TOPIC" in lines[0]
    cells = [f"  {verb.name:<10} {verb.summary}" for verb in COMMANDS if verb.group != HELP_GROUP]
    assert [cell for cell in cells if not any(f"{cell}  " in f"{line}  " for line in lines)] == []


@pytest.mark.parametrize("verb", COMMANDS, ids=lambda verb: verb.name)
def test_the_options_of_every_command_stand_last_in_its_help(litterm: Command, verb: Subcommand) -> None:
    lines = litterm(verb.name, "--help").out.splitlines()
    assert lines[0].startswith(f"usage: litterm {verb.name} [OPTIONS]")
    sections = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert sections[-1] == "options of every command:"
