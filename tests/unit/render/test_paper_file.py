"""The Markdown file of a paper: its template, its names, and what of it is litterm's."""

from __future__ import annotations

import pytest
import yaml
from documents import CHECKOUT
from fakes import ZEBRA

from litterm.core.errors import BadInput
from litterm.model.annotations import PaperNotes
from litterm.render.export.markdown import Quote
from litterm.render.export.paper_file import (
    DEFAULT_TEMPLATE,
    LIST_PLACEHOLDERS,
    PLACEHOLDERS,
    OwnPart,
    file_name,
    new_file,
    read_file_template,
    read_id,
    render_own_part,
    updated_file,
)

NOTES = PaperNotes("included", True, ("to cite", "a: b"), "Mine.\n<!-- litterm 00 (a): x -->\n{{title}}", "read")
QUOTES = (
    Quote(ZEBRA, "1. Zebras *are* fast. {{note}}", "Results §4 p.6", 6, "Zebras are fast"),
    Quote(ZEBRA, "Marked by hand."),
)


def part(template: str = DEFAULT_TEMPLATE, notes: PaperNotes = NOTES) -> OwnPart:
    return render_own_part(read_file_template(template), ZEBRA, "zebra", notes, QUOTES)


def test_quotes_have_their_place_and_what_they_speak_for() -> None:
    text = new_file(part()).decode()
    assert "## Quotes\n\n> 1\\. Zebras \\*are\\* fast. {{note}}\n\n[@zebra], Results §4 p.6 ([open](https://" in text
    assert "\nFor: Zebras are fast\n\n> Marked by hand.\n\n[@zebra] ([open]" in text
    assert yaml.safe_load(part().fields)["tags"] == ["to-cite", "a:-b"]


def test_a_note_cannot_end_litterms_part() -> None:
    content = new_file(part())
    assert updated_file(content, part()) == content
    updated = updated_file(content + b"mine", part(notes=PaperNotes()))
    assert updated is not None
    assert (b"Mine." in updated, updated.endswith(b"-->\n\nmine")) == (False, True)


def test_a_field_of_the_user_is_not_taken_over_by_another_template() -> None:
    content = new_file(part("{{title}}")).replace(b"---\n\n", b"rating: 5\n---\n\n", 1)
    assert updated_file(content, part("---\nrating: 1\n---\n{{title}}")) is None
    renewed = updated_file(content, part("---\nyear: {{year}}\n---\n{{title}}"))
    assert renewed is not None
    assert yaml.safe_load(renewed.decode().split("---\n")[1]) == {
        "year": ZEBRA.year,
        "litterm-id": ZEBRA.id,
        "rating": 5,
    }


def test_front_matter_that_grows_without_end_is_not_read() -> None:
    bomb = "a: &a [x, x]\nb: &b [*a, *a]\n"
    content = new_file(part()).decode().replace("---\n\n", f"{bomb}---\n\n", 1).encode()
    assert updated_file(content, part(), force=True) is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{{#title}}x{{/title}}", "{{#title}} in the template is no list"),
        ("{{quote}}", "{{quote}} in the template is no placeholder"),
        ("{{?doi}}x", "{{?doi}} has no {{/doi}} in the template"),
        ("x{{/doi}}", "{{/doi}} in the template closes nothing"),
        ("{{?doi}}" * 9, "more than 8 blocks"),
        ("---\nx: a {{title}}: {{title}}\n---\n", "makes no valid YAML"),
    ],
)
def test_mistakes_in_a_template_are_named(text: str, sentence: str) -> None:
    with pytest.raises(BadInput) as error:
        part(text)
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("Müller2010", "Müller2010.md"),
        ("../../etc/passwd", "etc-passwd.md"),
        ("C:\\x", "C-x.md"),
        ("nul.txt", "nul.txt-paper.md"),
        ("a. ", "a.md"),
        ("...", "paper.md"),
        ("-rf", "rf.md"),
        ("x" * 300, "x" * 120 + ".md"),
        ("é" * 300, "é" * 60 + ".md"),
    ],
)
def test_names_of_files_are_safe_everywhere(key: str, name: str) -> None:
    assert file_name(key) == name


@pytest.mark.parametrize("written", ["acl:P18-1", '"acl:P18-1"', "'acl:P18-1'"])
def test_the_id_is_read_as_any_editor_writes_it(written: str) -> None:
    assert read_id(f"\ufeff---\r\na: 1\r\nlitterm-id: {written}\r\n---\r\n".encode()) == "acl:P18-1"
    assert read_id(f"a\n---\nlitterm-id: {written}\n---\n".encode()) == ""


def test_the_reference_has_every_placeholder_and_the_template_itself() -> None:
    page = (CHECKOUT / "docs/reference/paper-template.md").read_text("utf-8")
    assert f"```\n{DEFAULT_TEMPLATE}```\n" in page
    names = {*PLACEHOLDERS, *(item for items in LIST_PLACEHOLDERS.values() for item in items)}
    assert [name for name in names if f"`{name}`" not in page] == []
