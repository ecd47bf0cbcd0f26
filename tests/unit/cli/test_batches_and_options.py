"""What a command does the second time, with a part of its input, and with options that do not belong to it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from json_answers import answer

from litterm.cli.main import main

LUONG = "starter:luong2015"
ROW_OF_GLOVE = {"excerpt": "We use GloVe vectors [CITATION]."}
ROW_OF_BLEU = {"excerpt": "We measure BLEU [CITATION]."}


class Runs:
    """`litterm ARGUMENTS` in this process; what it said is kept."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.out = self.err = ""

    def __call__(self, *arguments: str | Path) -> int:
        status = main([str(argument) for argument in arguments])
        self.out, self.err = self._capsys.readouterr()
        return status


@pytest.fixture
def litterm(home: Path, capsys: pytest.CaptureFixture[str]) -> Runs:
    return Runs(capsys)


def write_rows(path: Path, *rows: dict[str, str]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def answers(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_rows_that_have_changed_are_answered_again(litterm: Runs, tmp_path: Path) -> None:
    rows, out = write_rows(tmp_path / "rows.jsonl", ROW_OF_GLOVE), tmp_path / "out.jsonl"
    assert litterm("cite", "--batch", rows, "-o", out) == 0
    write_rows(rows, ROW_OF_BLEU, ROW_OF_GLOVE, {"id": "empty"})
    # A row that cannot be answered counts each time, though it is not asked again.
    assert litterm("cite", "--batch", rows, "-o", out) == 1
    assert litterm("cite", "--batch", rows, "-o", out) == 1
    assert "3 of 3 were answered before" in litterm.err
    assert [(line["id"], line.get("excerpt")) for line in answers(out)] == [
        ("1", ROW_OF_BLEU["excerpt"]),
        ("2", ROW_OF_GLOVE["excerpt"]),
        ("empty", None),
    ]


def test_rows_with_one_id_keep_an_answer_each(litterm: Runs, tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", {"id": "a", **ROW_OF_GLOVE}, {"id": "a", **ROW_OF_BLEU})
    for _ in range(3):
        assert litterm("cite", "--batch", rows, "-o", tmp_path / "out.jsonl") == 0
    assert [line["excerpt"] for line in answers(tmp_path / "out.jsonl")] == [
        ROW_OF_GLOVE["excerpt"],
        ROW_OF_BLEU["excerpt"],
    ]


def test_answers_of_a_version_that_did_not_say_what_they_answer_count(litterm: Runs, tmp_path: Path) -> None:
    rows, out = write_rows(tmp_path / "rows.jsonl", ROW_OF_GLOVE), tmp_path / "out.jsonl"
    write_rows(out, {"written_by": "litterm cite --batch", "id": "1"})
    assert litterm("cite", "--batch", rows, "-o", out) == 0
    assert "1 of 1 were answered before" in litterm.err


def test_options_hold_for_rows_that_do_not_say_otherwise(litterm: Runs, tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", ROW_OF_GLOVE, {**ROW_OF_GLOVE, "before": "2020"})
    assert litterm("cite", "--batch", rows, "--before", "1900") == 0
    of_option, of_row = map(json.loads, litterm.out.splitlines())
    assert not of_option["candidates"] and of_row["candidates"]


@pytest.mark.parametrize("option", [("-o", "x.md"), ("--format", "json"), ("--blind",), ("-n", "5"), ("--force",)])
def test_options_of_a_matrix_are_refused_for_a_single_paper(litterm: Runs, option: tuple[str, ...]) -> None:
    assert litterm("evidence", LUONG, "attention helps", *option) == 2
    assert option[0] in litterm.err and not litterm.out


def test_what_finds_or_deletes_nothing_to_show_is_an_object_all_the_same(litterm: Runs) -> None:
    assert litterm("evidence", "--query", "zzqx", "attention helps", "--json") == 0
    nothing = json.loads(litterm.out)
    assert nothing["rows"] == []
    assert litterm("evidence", "--papers", LUONG, "attention helps", "--json") == 0
    assert nothing.keys() == json.loads(litterm.out).keys()
    assert litterm("watch", "zebra") == 0
    assert litterm("watch", "zebra", "--forget", "--json") == 0
    assert answer(litterm.out) == {"query": "zebra", "forgotten": True}
    assert litterm("list", "machine translation", "--json") == 0
    assert litterm("list", "--delete", "last", "--json") == 0
    assert json.loads(litterm.out)["deleted"]


def test_an_unknown_paper_does_not_keep_the_others_from_an_export(litterm: Runs) -> None:
    assert litterm("export", "nosuch", LUONG) == 3
    assert litterm.out.startswith("@") and "nosuch is not in the library" in litterm.err
    assert litterm("export", "nosuch", "neither") == 3
    assert not litterm.out


def test_an_export_of_a_query_that_finds_nothing_says_so(litterm: Runs, tmp_path: Path) -> None:
    file = tmp_path / "none.bib"
    assert litterm("export", "--query", "zzqxq", "-o", file) == 3
    assert "Nothing found" in litterm.err and not litterm.out and not file.exists()


def test_an_export_of_fewer_papers_than_were_found_says_so(litterm: Runs) -> None:
    assert litterm("export", "--query", "translation", "-k", "1") == 0
    assert litterm.out.count("@") == 1
    assert re.search(r"1 of \d+ found; -k exports more", litterm.err)


def test_a_dash_is_standard_output(litterm: Runs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert litterm("export", LUONG, "-o", "-") == 0
    assert litterm.out.startswith("@") and not list(tmp_path.glob("-"))


def test_a_missing_bibliography_is_named(litterm: Runs, tmp_path: Path) -> None:
    draft = tmp_path / "draft.tex"
    draft.write_text("We measure BLEU \\cite{?}.\n\\bibliography{missing}\n", encoding="utf-8")
    assert litterm("cite", "--file", draft) == 0
    assert "missing.bib, which the draft names, was not found" in litterm.err
    assert litterm("cite", "--file", draft, "--bib", tmp_path / "other.bib") == 0
    assert "other.bib does not exist yet" in litterm.err


def test_a_file_without_entries_is_named(litterm: Runs, tmp_path: Path) -> None:
    (tmp_path / "notes.bib").write_text("nothing of the kind", encoding="utf-8")
    assert litterm("cite", "We use GloVe vectors [CITATION].", "--append", tmp_path / "notes.bib") == 1
    assert "notes.bib: Holds no BibTeX entry" in litterm.err


def test_an_export_that_is_not_read_has_a_next_step_in_folders_too(litterm: Runs, tmp_path: Path) -> None:
    (tmp_path / "export.xml").write_text(
        '<modsCollection xmlns="http://www.loc.gov/mods/v3"></modsCollection>', "utf-8"
    )
    assert litterm("add", tmp_path) == 1
    assert "export.xml: An export as MODS is not read; " in litterm.err


def test_a_file_is_reported_although_no_service_may_be_asked(litterm: Runs, tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "papers.jsonl", {"id": "one", "title": "A title of one"})
    assert litterm("add", rows, "10.1000/unheard-of", "--offline", "--json") == 4
    report = json.loads(litterm.out)
    assert report["added"] == 1 and report["papers"] == []


@pytest.mark.parametrize("joint", [" || ", "\n"])
def test_weights_of_aspects_are_no_words(litterm: Runs, joint: str) -> None:
    assert litterm("search", f"pruning{joint}parsing", "--json") == 0
    plain = json.loads(litterm.out)
    assert litterm("search", f"pruning *3{joint}parsing *2", "--json") == 0
    weighted = json.loads(litterm.out)
    assert weighted["found"] == plain["found"]
    assert not any({"2", "3"} & set(paper["matched"]) for paper in weighted["results"])


@pytest.mark.parametrize("option", [("-n", "5"), ("--until", "2000"), ("--sections",)])
def test_a_saved_reading_list_takes_no_options_of_a_new_one(litterm: Runs, option: tuple[str, ...]) -> None:
    assert litterm("list", "machine translation") == 0
    assert litterm("list", "--resume", "last", *option) == 2
    assert option[0] in litterm.err and not litterm.out
    assert litterm("list", "--list", "-o", "lists.txt") == 2


def test_cited_authors_survive_an_export_and_import(litterm: Runs, tmp_path: Path) -> None:
    authors = [{"family": "Van Durme"}, {"family": "Li"}, {"family": "Li"}]
    reference = {"title": "A cited work", "authors": [*authors, "Ada Lovelace", {"name": "Alan Turing"}, {}, None]}
    row = {"id": "one", "title": "A title of one", "references": [reference]}
    assert litterm("add", write_rows(tmp_path / "papers.jsonl", row)) == 0
    assert litterm("export", "--all", "--jsonl", "-o", tmp_path / "all.jsonl") == 0
    (exported,) = answers(tmp_path / "all.jsonl")
    assert exported["references"][0]["authors"] == [*authors, {"family": "Lovelace"}, {"family": "Turing"}]
