"""`export --folder`: a Markdown file for each paper, in which the user writes on, over the real engine."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from litterm.cli.main import main
from litterm.render.export.paper_file import DEFAULT_TEMPLATE

ENTRIES = """@article{Able2010, title = {Counting: boats # [at] "sea"}, author = {Able, Ann and Ćić, Żoë}, year = 2010,
 journal = {Boats}, doi = {10.1000/a_b(c)}, abstract = {1. We count them. *x* _y}}
@article{CON, title = {Ropes of another kind}, author = {Baker, Bo}, year = {2011}, journal = {Boats}}
@article{../../up, title = {Knots that hold in storms}, author = {Cole, Cy}, year = {2012}, journal = {Boats}}
@article{able2010:, title = {Sails for light winds}, author = {Dole, Di}, year = {2013}, journal = {Boats}}
"""
ALL = ("Able2010.md", "CON-paper.md", "able2010-2.md", "up.md")


class Folder:
    """A library of four papers, and the folder they are exported into."""

    def __init__(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.path, self.capsys = path, capsys

    def export(self, *options: str) -> tuple[int, str]:
        self.capsys.readouterr()
        status = main(["export", "--folder", str(self.path), *(options or ("--all",))])
        return status, self.capsys.readouterr().err

    def file(self, name: str = "Able2010.md") -> Path:
        return self.path / name

    def names(self) -> list[str]:
        return sorted(path.name for path in self.path.glob("*"))

    def fields(self, name: str = "Able2010.md") -> dict[str, object]:
        (_, fields, _) = self.file(name).read_text("utf-8", "replace").split("---\n", 2)
        loaded = yaml.safe_load(fields)
        assert isinstance(loaded, dict)
        return loaded


@pytest.fixture
def folder(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Folder:
    (tmp_path / "own.bib").write_text(ENTRIES, "utf-8")
    assert main(["add", str(tmp_path / "own.bib")]) == 0
    capsys.readouterr()
    return Folder(tmp_path / "vault", capsys)


def mark(*words: str) -> None:
    assert main(["mark", "Able2010", *words]) == 0


def test_each_paper_has_one_file_with_a_safe_name_and_valid_front_matter(folder: Folder) -> None:
    mark("--tag", "moss,owls", "--read-status", "reading", "--decide", "include", "--note", "See *this*.")
    assert folder.export() == (0, f"{folder.path}: 4 new, 0 updated, 0 unchanged.\n")
    assert folder.names() == sorted(ALL)
    assert not list(folder.path.parent.glob("*up*"))
    assert not (folder.path.parent.parent / "up.md").exists()
    assert folder.fields() == {
        "title": 'Counting: boats # [at] "sea"',
        "authors": ["Ann Able", "Żoë Ćić"],
        "year": 2010,
        "venue": "Boats",
        "doi": "10.1000/a_b(c)",
        "citekey": "Able2010",
        "tags": ["moss", "owls"],
        "status": "reading",
        "decision": "included",
        "litterm-id": "doi:10.1000/a_b(c)",
    }
    text = folder.file().read_text("utf-8")
    assert '# Counting: boats \\# \\[at\\] "sea"' in text
    assert "[@Able2010] [doi:10.1000/a\\_b(c)](https://doi.org/10.1000/a_b%28c%29)" in text
    assert "1\\. We count them. \\*x\\*" in text
    assert "## Note\n\nSee *this*.\n" in text
    assert "\n\n\n\n" not in text
    assert folder.export() == (0, f"{folder.path}: 0 new, 0 updated, 4 unchanged.\n")


def test_what_the_user_added_stays_to_the_byte_while_litterms_part_is_renewed(folder: Folder) -> None:
    folder.export()
    own = b"\n\xff mine \r\n---\nno: yaml\n<!-- litterm 00000000000000000000000000000000 (a): x -->\nend"
    folder.file().write_bytes(folder.file().read_bytes() + own)
    mark("--tag", "new")
    assert folder.export() == (0, f"{folder.path}: 0 new, 1 updated, 3 unchanged.\n")
    assert folder.file().read_bytes().endswith(own)
    assert folder.fields()["tags"] == ["new"]
    assert folder.names() == sorted(ALL)


def test_a_renamed_file_and_one_that_was_moved_are_found_by_id(folder: Folder) -> None:
    folder.export()
    (folder.path / "read").mkdir()
    folder.file().rename(folder.path / "read/My boats.md")
    folder.file("up.md").rename(folder.path / "Knots.md")
    mark("--star", "--tag", "x")
    assert folder.export()[1] == f"{folder.path}: 0 new, 1 updated, 3 unchanged.\n"
    assert 'tags: ["x"]' in (folder.path / "read/My boats.md").read_text("utf-8")
    assert not folder.file().exists()


def test_fields_that_the_user_or_an_editor_wrote_are_kept(folder: Folder) -> None:
    folder.export()
    # As Obsidian writes front matter anew: other order and quotes, lists in lines.
    text = folder.file("up.md").read_text("utf-8")
    fields = yaml.safe_load(text.split("---\n")[1])
    rest = text.split("---\n", 2)[2]
    written = yaml.safe_dump({"rating": 5, **fields, "aliases": ["Knots"]}, sort_keys=True, allow_unicode=True)
    folder.file("up.md").write_bytes(f"---\n# mine\n{written}---\n{rest}".replace("\n", "\r\n").encode())
    assert main(["mark", "../../up", "--tag", "k"]) == 0
    assert folder.export()[0] == 0
    assert folder.fields("up.md") == {**fields, "tags": ["k"], "rating": 5, "aliases": ["Knots"]}
    assert b"\r\nrating: 5\r\n" in folder.file("up.md").read_bytes()


def test_files_that_were_changed_above_the_line_are_left_unless_forced(folder: Folder) -> None:
    folder.export()
    changed = {}
    for name, old, new in (
        ("Able2010.md", "# Counting", "# My Counting"),
        ("CON-paper.md", "year: 2011", "year: 1999"),
        ("up.md", "<!-- litterm", "litterm"),
        ("able2010-2.md", "year: ", "year: ["),
    ):
        changed[name] = folder.file(name).read_text("utf-8").replace(old, new) + "mine\n"
        folder.file(name).write_text(changed[name], "utf-8")
    status, said = folder.export()
    assert (status, {name: folder.file(name).read_text("utf-8") for name in changed}) == (1, changed)
    assert "Able2010.md was changed above litterm's last line, and is left as it is; --force" in said
    assert "0 new, 0 updated, 0 unchanged, 4 left as they are." in said
    # Of the last two it cannot be known what is litterm's.
    status, said = folder.export("--all", "--force")
    assert "0 new, 2 updated, 0 unchanged, 2 left as they are." in said
    for name, text in changed.items():
        written = folder.file(name).read_text("utf-8")
        is_written = name in ("Able2010.md", "CON-paper.md")
        assert written.endswith("mine\n")
        assert (written != text) is is_written
        assert folder.file(f"{name}~").exists() is is_written


def test_files_that_are_not_litterms_are_never_written(folder: Folder, tmp_path: Path) -> None:
    folder.path.mkdir()
    folder.file("ABLE2010.MD").write_text("mine", "utf-8")
    (tmp_path / "elsewhere.md").write_text('---\nlitterm-id: "doi:10.1000/a_b(c)"\n---\n', "utf-8")
    folder.file("up.md").symlink_to(tmp_path / "elsewhere.md")
    assert folder.export()[0] == 0
    assert folder.file("ABLE2010.MD").read_text("utf-8") == "mine"
    assert (tmp_path / "elsewhere.md").read_text("utf-8") == '---\nlitterm-id: "doi:10.1000/a_b(c)"\n---\n'
    assert {"Able2010-2.md", "able2010-3.md", "up-2.md"} <= set(folder.names())


def test_the_template_is_the_users_and_never_acts(folder: Folder, home: Path) -> None:
    template = home / "paper-template.md"
    template.write_text(
        "---\ntype: paper\n{{?pmid}}\npmid: {{pmid}}\n{{/pmid}}\nnames: {{authors}}\n---\n"
        "{{#authors}}[[{{author}}]] {{/authors}}{{note}}\n",
        "utf-8",
    )
    mark("--note", "{{title}} {{#authors}} `r 1`")
    assert folder.export()[0] == 0
    assert folder.fields() == {
        "type": "paper",
        "names": ["Ann Able", "Żoë Ćić"],
        "litterm-id": "doi:10.1000/a_b(c)",
    }
    assert "[[Ann Able]] [[Żoë Ćić]] {{title}} {{#authors}} `r 1`\n" in folder.file().read_text("utf-8")
    # Another template renews files that nobody has changed.
    template.write_text(DEFAULT_TEMPLATE, "utf-8")
    assert folder.export()[1] == f"{folder.path}: 0 new, 4 updated, 0 unchanged.\n"


def test_a_mistake_in_the_template_is_said_before_anything_is_written(folder: Folder, home: Path) -> None:
    (home / "paper-template.md").write_text("{{titel}}", "utf-8")
    sentence = "{{titel}} in the template is no placeholder; did you mean {{title}}?"
    assert folder.export() == (1, f"litterm: {home}/paper-template.md: {sentence}\n")
    assert not folder.path.exists()


def test_options_that_make_no_sense_are_refused(folder: Folder) -> None:
    for options in (("--all", "--ris"), ("--all", "-o", "x"), ()):
        assert main(["export", "--folder", str(folder.path), *options]) == 2
