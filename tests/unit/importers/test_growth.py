"""Input that grows while it is read is refused before it has grown: archives, XML, HTML and JSON."""

from __future__ import annotations

import gzip
import io
import os
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from litterm.core.errors import BadInput
from litterm.importers import byte_sources, unpack_budget
from litterm.importers.bioc import read_bioc_json, read_bioc_xml
from litterm.importers.byte_sources import (
    Content,
    check_values,
    file_content,
    gunzip_content,
    memory_content,
    zip_members,
)
from litterm.importers.jats.article import read_jats
from litterm.importers.jsonl.reader import read_jsonl
from litterm.importers.latexml.article import read_html
from litterm.importers.xml import tree
from litterm.importers.xml.html import parse_html
from litterm.importers.xml.tree import check_prolog, parse_tree, stream_elements
from litterm.model.library import Failure, Parsed
from litterm.text.documents.hyphens import HyphenStatistics
from litterm.text.limits import MAX_REFERENCES

FREE = 2**20


def packed(ratio: float, size: int = 4 * FREE) -> bytes:
    """Bytes that gzip packs about `ratio` to one."""
    block = 2**16
    noise = int(block / ratio)
    return b"".join(os.urandom(noise) + bytes(block - noise) for _ in range(size // block))


@pytest.fixture
def little_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    """A megabyte is enough to be suspicious, so that no test unpacks more."""
    monkeypatch.setattr(byte_sources, "FREE_BYTES", FREE)
    monkeypatch.setattr(unpack_budget, "FREE_BYTES", FREE)


@pytest.mark.usefixtures("little_is_free")
@pytest.mark.parametrize(("ratio", "taken"), [(100, True), (150, True), (350, False), (700, False)])
def test_what_expands_too_much_is_refused_by_its_ratio(tmp_path: Path, ratio: float, taken: bool) -> None:
    data = packed(ratio)
    gz = gzip.compress(data)
    assert taken == (len(data) < 200 * len(gz)), "the test's own data is as meant"
    inside = gunzip_content(memory_content("a.gz", gz))
    if taken:
        assert inside.read(2**30) == data
    else:
        with pytest.raises(BadInput, match="more than 200 times its size: taken for a decompression bomb"):
            inside.read(2**30)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("a.jsonl", data)
    size = (tmp_path / "a.zip").stat().st_size
    (member,) = zip_members(file_content(tmp_path / "a.zip", size), tmp_path)
    assert isinstance(member, Content) == taken
    assert taken or (isinstance(member, Failure) and "decompression bomb" in member.cause)


@pytest.mark.usefixtures("little_is_free")
def test_a_bomb_is_ended_while_it_is_unpacked_not_afterwards() -> None:
    bomb = gzip.compress(bytes(64 * FREE))
    with gunzip_content(memory_content("a.gz", bomb)).open() as stream:
        assert sum(map(len, iter(lambda: stream.read(2**16), b""))) <= 210 * len(bomb) < 20 * FREE


@pytest.mark.parametrize(
    ("subset", "cause"),
    [
        ("<!ENTITY % p 'harmless'>", "Declares the entity “p”, which could grow"),
        ("<!ENTITY % p '&#60;!ENTITY x \"aa\">'> %p;", "Declares the entity “p”, which could grow"),
        ("<!ENTITY % p 'x'> <!ENTITY q '%p;%p;'>", "Declares the entity “p”, which could grow"),
        (f"<!ATTLIST p x CDATA '{'z' * 50_000}'>", "Declares default values like that of “x”, which could grow"),
        (f"<!ATTLIST p x CDATA #FIXED '{'z' * 300}'>", "Declares default values like that of “x”"),
        ("".join(f"<!ATTLIST p x{n} CDATA '{'z' * 10}'>" for n in range(30)), "Declares default values"),
        ("<!ATTLIST p " + " ".join(f"x{n} CDATA ''" for n in range(300)) + ">", "Declares default values"),
    ],
)
def test_no_declaration_makes_a_document_grow(subset: str, cause: str) -> None:
    data = f"<?xml version='1.0'?><!DOCTYPE article [{subset}]><article><p/></article>".encode()
    with pytest.raises(BadInput, match=cause):
        parse_tree(data)
    with pytest.raises(BadInput, match=cause):
        list(stream_elements(io.BytesIO(data), frozenset(("article",))))


def test_a_plain_doctype_and_a_namespace_by_default_are_read() -> None:
    subset = "<!ATTLIST article xmlns:xlink CDATA #FIXED 'http://www.w3.org/1999/xlink' id ID #IMPLIED>"
    data = f"<!DOCTYPE article PUBLIC '-//X//Y' 'a.dtd' [{subset}]><article xlink:href='y'><p/></article>".encode()
    assert parse_tree(data).get("href") == "y"
    check_prolog(b"<!DOCTYPE article [<!ENTITY % dtd SYSTEM 'no.dtd'> %dtd;]><article/>")


@pytest.mark.parametrize("piece", [b"<p>", b"<!---->"])
def test_a_tree_of_nothing_but_tags_is_refused_before_it_is_built(piece: bytes) -> None:
    data = b"<article>" + piece * 1_000_001
    with pytest.raises(BadInput, match="more than 1,000,000 tags"):
        parse_tree(data)
    with pytest.raises(BadInput, match="more than 1,000,000"):
        parse_html(piece * 2_000_001)


def test_nor_does_a_stream_of_articles_keep_one_of_nothing_but_tags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "_MAX_TAGS", 10_000)
    article = b"<article>" + b"<p/>" * 6_000 + b"</article>"
    wanted = frozenset(("article",))
    assert len(list(stream_elements(io.BytesIO(b"<s>" + article + b"</s>"), wanted))) == 1
    with pytest.raises(BadInput, match="tags in one article"):
        list(stream_elements(io.BytesIO(b"<s><article>" + b"<p/>" * 12_000 + b"</article></s>"), wanted))


def test_json_of_nothing_but_brackets_is_refused_before_it_is_read() -> None:
    for piece in (b"[],", b"{},", b'"",'):
        with pytest.raises(BadInput, match="more than 3,000,000 values"):
            check_values(b"[" + piece * 3_000_001)
    with pytest.raises(BadInput, match="more than 3,000,000 values"):
        list(read_bioc_json(memory_content("a.json", b"[" + b"[]," * 3_000_001 + b"1]")))


@pytest.mark.parametrize(
    ("read", "before", "entry", "after"),
    [
        (
            lambda content: read_jsonl(content, HyphenStatistics()),
            '{"id": "doi:10.1/x", "title": "T", "references": [',
            '"A (2001). B.",',
            '"C (2002). D."]}',
        ),
        (
            read_jats,
            "<article><front><article-meta><article-id pub-id-type='doi'>10.1/x</article-id>"
            "<title-group><article-title>T</article-title></title-group></article-meta></front><body><p>We.</p></body>"
            "<back><ref-list>",
            "<ref><mixed-citation>A 2001</mixed-citation></ref>",
            "</ref-list></back></article>",
        ),
        (
            read_html,
            "<html><body><article class='ltx_document'><h1 class='ltx_title_document'>T</h1><p class='ltx_p'>We.</p>"
            "<ul class='ltx_biblist'>",
            "<li class='ltx_bibitem'><span class='ltx_bibblock'>A 2001</span></li>",
            "</ul></article></body></html>",
        ),
        (
            read_bioc_xml,
            "<collection><document><id>PMC1</id><passage><infon key='type'>front</infon><text>T</text></passage>"
            "<passage><infon key='type'>paragraph</infon><text>We.</text></passage>",
            "<passage><infon key='section_type'>REF</infon><infon key='type'>ref</infon><text>A 2001</text></passage>",
            "</document></collection>",
        ),
    ],
)
def test_of_a_list_of_references_no_more_is_read_than_a_record_may_have(
    read: Callable[[Content], Iterator[Parsed | Failure]], before: str, entry: str, after: str
) -> None:
    text = before + entry * (MAX_REFERENCES + 20) + after
    found = [each for each in read(memory_content("x", text.encode())) if isinstance(each, Parsed)]
    (document,) = (each.document for each in found)
    assert document is not None
    assert len(document.references) == MAX_REFERENCES + 1
