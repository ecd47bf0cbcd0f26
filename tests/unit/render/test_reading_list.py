"""A reading list as lines, JSON, Markdown, BibTeX and HTML."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from libraries import by, paper

from litterm.model.reading_list import ListEntry, ListRequest, ListSection, ReadingList
from litterm.render.bibliography.keys import STANDARD_KEYS
from litterm.render.lines import LineOptions
from litterm.render.reading_lists import html as reading_list_html
from litterm.render.reading_lists import reading_list
from litterm.render.reading_lists.reading_list import list_bibtex, list_data, list_lines, list_markdown, timeline

OLD = paper("P01-1", "An [Old] *Parser*", year=2001, authors=by("Fox, B"))
NEW = paper("P21-1", "A <b>New</b> Parser", year=2021, authors=by("Ray, H"))
LIST = ReadingList(
    id="parsing",
    request=ListRequest("parsing", until=2022),
    sections=(
        ListSection("Foundations", (ListEntry(OLD, "foundation", ("cited by 1 of these 2",), pinned=True),)),
        ListSection("New", (ListEntry(NEW, "recent", ("newest on parsing",), note="skim"),), "Parsers"),
    ),
    by="linear",
    links=((NEW.id, OLD.id),),
    made="2026-01-02T00:00:00+00:00",
)
READ = {OLD.id: "read", NEW.id: ""}


def test_lines_tell_headings_reasons_marks_and_notes() -> None:
    text = "\n".join(list_lines(LIST, LineOptions(), READ))  # type: ignore[arg-type]
    assert text.index("Foundations") < text.index("An [Old] *Parser*") < text.index("New / Parsers")
    assert "foundation · cited by 1 of these 2" in text
    assert "acl:P01-1 · read · pinned" in text
    assert "note: skim" in text


def test_the_time_line_says_who_cites_whom_by_year() -> None:
    assert timeline(LIST, LineOptions()) == ["2001  [1]", "2021  [2]→1"]
    assert timeline(LIST, LineOptions(ascii=True))[1] == "2021  [2]->1"


def test_a_paper_without_a_year_is_on_the_time_line() -> None:
    undated = replace(LIST, sections=(ListSection("", (ListEntry(replace(OLD, year=None), "method"),)),), links=())
    assert timeline(undated, LineOptions()) == ["no year  [1]"]


def test_json_holds_the_published_form() -> None:
    body = json.loads(json.dumps(list_data(LIST, READ)))  # type: ignore[arg-type]
    assert body["readingList"] == [
        {"sectionName": "Foundations", "subsectionName": "", "referencesIds": ["acl:P01-1"]},
        {"sectionName": "New", "subsectionName": "Parsers", "referencesIds": ["acl:P21-1"]},
    ]
    assert body["links"] == [{"citing": "acl:P21-1", "cited": "acl:P01-1"}]
    assert (body["papers"][0]["status"], body["papers"][1]["rank"]) == ("read", 2)


def test_markdown_ticks_what_is_read_and_acts_on_no_title() -> None:
    text = list_markdown(LIST, READ, STANDARD_KEYS)  # type: ignore[arg-type]
    assert "- [x] **An \\[Old\\] \\*Parser\\***" in text
    assert "- [ ] **A \\<b\\>New\\</b\\> Parser**" in text
    assert "## Foundations" in text
    assert "### Parsers" in text


def test_a_reason_is_not_given_twice() -> None:
    survey = ListEntry(OLD, "overview", ("survey", "covers parsing"))
    assert reading_list.entry_reasons(survey, "Overviews") == ("survey", "covers parsing")
    assert reading_list.entry_reasons(survey, "Parsing") == ("survey",)
    assert reading_list.entry_reasons(replace(survey, why=()), "Parsing") == ("overview",)


def test_markdown_says_what_chose_the_papers() -> None:
    assert "2 papers, none newer than 2022; chosen by litterm offline, 2026-01-02." in list_markdown(
        LIST, {}, STANDARD_KEYS
    )
    assert "chosen by gpt\\_x" in list_markdown(replace(LIST, by="gpt_x"), {}, STANDARD_KEYS)


def test_bibtex_keeps_the_order() -> None:
    text = list_bibtex(LIST, STANDARD_KEYS)
    assert text.index("Old") < text.index("New")


def test_html_escapes_titles_and_draws_who_cites_whom() -> None:
    page = reading_list_html.dumps(LIST, READ)  # type: ignore[arg-type]
    assert "<b>New</b>" not in page
    assert "A &lt;b&gt;New&lt;/b&gt; Parser" in page
    assert page.count("<circle") == 2
    assert page.count("<path") == 1
    assert "script" not in page.replace("default-src", "")


@pytest.mark.parametrize("stage", ["overview", "foundation", "method", "recent"])
def test_every_stage_has_a_word(stage: str) -> None:
    assert reading_list.STAGE_WORDS[stage]  # type: ignore[index]
