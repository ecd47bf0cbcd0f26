"""BibTeX as JabRef and Zotero write it: attached files, groups, and the tree of groups."""

from __future__ import annotations

from pathlib import Path

import pytest

from litterm.importers.bibtex.jabref import read_metadata
from litterm.importers.bibtex.reader import read_bibtex
from litterm.importers.byte_sources import file_content, memory_content
from litterm.model.library import Failure, Parsed
from litterm.model.paper import Paper

TREE = r"""
@Comment{jabref-meta: databaseType:bibtex;}

@Comment{jabref-meta: fileDirectory:papers;}

@Comment{jabref-meta: grouping:
0 AllEntriesGroup:;
1 StaticGroup:Thesis\;0\;1\;0x8a8a8aff\;\;\;;
2 StaticGroup:Owls\;0\;1\;\;\;\;;
3 StaticGroup:A\\\;B\;0\;1\;\;\;\;;
1 KeywordGroup:Night\;0\;keywords\;night\;0\;0\;1\;\;\;\;;
2 StaticGroup:Moths\;0\;1\;\;\;\;;
}
"""


def papers(text: str) -> list[Paper]:
    read = list(read_bibtex(memory_content("x.bib", text.encode())))
    assert not [failure for failure in read if isinstance(failure, Failure)]
    return [record.paper for record in read if isinstance(record, Parsed)]


@pytest.mark.parametrize(
    ("field", "files"),
    [
        (r":owls/Berg 2018 - Owls.pdf:PDF", ("owls/Berg 2018 - Owls.pdf",)),
        (r"Full Text:a.pdf:PDF;Notes\: more:b\;c.txt:Text", ("a.pdf", "b;c.txt")),
        (r":C\:\\Users\\me\\a.pdf:PDF", (r"C:\Users\me\a.pdf",)),
        (r":odd\\:PDF;:a.pdf:PDF", ("odd\\", "a.pdf")),
        (r"a:b.pdf:PDF:https\://example.org/b.pdf", ("b.pdf",)),
        (r"Full Text PDF:files/12/a.pdf:application/pdf;Snapshot:files/13/a.html:text/html",
         ("files/12/a.pdf", "files/13/a.html")),
        (r"/me/Zotero/storage/ABCD2345/a.pdf;/me/b.pdf", ("/me/Zotero/storage/ABCD2345/a.pdf", "/me/b.pdf")),
        (r":C$\backslash$:/Users/me/a.pdf:pdf", ("C:/Users/me/a.pdf",)),
        (r"C:\papers\a.pdf", (r"C:\papers\a.pdf",)),
        ("a.pdf", ("a.pdf",)),
    ],
)  # fmt: skip
def test_the_forms_of_a_list_of_files(field: str, files: tuple[str, ...]) -> None:
    assert papers(f"@article{{a, title={{Owls}}, file={{{field}}}}}")[0].imprint.files == files


def test_groups_are_named_with_those_around_them() -> None:
    entries = "@article{a, title={Owls}, groups={Owls, Moths, Unlisted}}\n@article{b, title={Voles}, groups={A;B;Owls}}"
    first, second = papers(entries + TREE)
    assert first.imprint.collections == ("Thesis > Owls", "Night > Moths", "Unlisted")
    assert second.imprint.collections == ("A", "B", "Thesis > Owls")
    assert read_metadata(TREE).paths["A;B"] == "Thesis > Owls > A;B"


def test_groups_of_older_versions_list_their_entries() -> None:
    tree = "@comment{jabref-meta: groupsversion:3;}\n@comment{jabref-meta: groupstree:\n0 AllEntriesGroup:;\n" + (
        "1 ExplicitGroup:Owls\\;0\\;roe20\n18\\;doe2019\\;;\n}\n"
    )
    found = papers("@article{roe2018, title={Owls}}\n@article{other, title={Voles}}\n" + tree)
    assert [paper.imprint.collections for paper in found] == [("Owls",), ()]


@pytest.mark.parametrize("end", ["", "}", "\n2 StaticGroup", "\n999 X:;\n-1 StaticGroup:a;\n1 StaticGroup:;}"])
def test_a_damaged_tree_costs_no_entry(end: str) -> None:
    tree = "@comment{jabref-meta: grouping:\n0 AllEntriesGroup:;\n1 StaticGroup:Owls\\;0" + end
    text = "@article{a, title={Owls}, groups={x}}\n" + tree
    read = list(read_bibtex(memory_content("x.bib", text.encode())))
    assert [record.paper.title for record in read if isinstance(record, Parsed)] == ["Owls"]


def test_files_are_found_in_the_folder_that_the_library_names(tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "a.pdf").write_bytes(b"%PDF-1.4")
    (tmp_path / "here.pdf").write_bytes(b"%PDF-1.4")
    library = tmp_path / "x.bib"
    library.write_text("@article{a, title={Owls}, file={:a.pdf:PDF;:here.pdf:PDF;:gone.pdf:PDF}}" + TREE)
    [record] = read_bibtex(file_content(library, 0))
    assert isinstance(record, Parsed)
    assert record.paper.imprint.files == (str(tmp_path / "papers" / "a.pdf"), "here.pdf", "gone.pdf")
