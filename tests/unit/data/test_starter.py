"""The starter library as shipped: sound by itself, and true where the shared data can tell."""

from __future__ import annotations

import gzip
import json
import re
import tarfile
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import get_args
from xml.etree import ElementTree

import pytest

import litterm.data
from litterm.model.paper import SCHEMES, PaperType
from litterm.text.documents.sentences import split

FOLDER = Path(litterm.data.__file__).parent / "starter"
DOCUMENTS = {"starter:tour", "starter:ranking-note", "starter:evidence-note"}
_PAPER_FIELDS = set(
    "id title authors year venue type decision booktitle journal publisher volume issue pages aliases url bibkey"
    " keywords abstract abstract_by references sections".split()
)
_ID = re.compile(r"starter:[a-z0-9-]+")
_LONGEST_SHARED = 7
"""Words in a row that a summary may have in common with the authors' abstract: names and terms, no phrase."""


@dataclass(frozen=True, slots=True)
class Row:
    """One record as shipped."""

    id: str
    title: str
    authors: tuple[tuple[str, str], ...]
    """Family and given name."""
    year: int
    volume: str
    pages: str
    aliases: tuple[str, ...]
    abstract: str
    references: tuple[str, ...]
    sections: tuple[tuple[str, str], ...]
    venue: str
    decision: str
    raw: str


def _row(line: str) -> Row:
    data = json.loads(line)
    return Row(
        id=data["id"],
        title=data["title"],
        authors=tuple((author["family"], author["given"]) for author in data["authors"]),
        year=data["year"],
        volume=data.get("volume", ""),
        pages=data.get("pages", ""),
        aliases=tuple(data.get("aliases", ())),
        abstract=data["abstract"],
        references=tuple(data["references"]),
        sections=tuple((section["title"], section["text"]) for section in data.get("sections", ())),
        venue=data["venue"],
        decision=data.get("decision", ""),
        raw=line,
    )


@cache
def _rows(name: str) -> tuple[Row, ...]:
    return tuple(_row(line) for line in (FOLDER / name).read_text("utf-8").splitlines())


def _papers() -> tuple[Row, ...]:
    return _rows("papers.jsonl")


def _every() -> tuple[Row, ...]:
    return (*_papers(), *_rows("documents.jsonl"))


def test_holds_enough_landmark_papers_and_the_three_texts() -> None:
    assert len(_papers()) >= 150
    assert {row.id for row in _rows("documents.jsonl")} == DOCUMENTS
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 600_000


def test_ids_and_aliases_are_unique_and_of_known_schemes() -> None:
    ids = [row.id for row in _every()]
    aliases = [alias for row in _every() for alias in row.aliases]
    assert len(set(ids)) == len(ids)
    assert len(set(aliases)) == len(aliases)
    assert all(_ID.fullmatch(each) for each in ids)
    assert all(alias.split(":", 1)[0] in SCHEMES and not alias.startswith("starter:") for alias in aliases)


def test_only_known_fields_with_tidy_text() -> None:
    for row in _every():
        data = json.loads(row.raw)
        assert set(data) <= _PAPER_FIELDS, row.id
        assert data["type"] in get_args(PaperType), row.id
        assert data["abstract_by"] == "litterm", row.id
        texts = [value for value in data.values() if isinstance(value, str)] + data["keywords"]
        assert all(text and text == " ".join(text.split()) for text in texts), row.id
        assert not any(unicodedata.category(char) in ("Cc", "Cf", "Co") for char in row.raw.strip()), row.id


def test_every_paper_has_authors_and_a_year() -> None:
    for row in _every():
        assert row.authors, row.id
        assert all(family and family == family.strip() for family, _ in row.authors), row.id
        assert len(set(row.authors)) == len(row.authors), row.id
        assert 1900 <= row.year <= 2026, row.id


def test_references_resolve_and_never_point_into_the_future() -> None:
    years = {row.id: row.year for row in _every()}
    for row in _every():
        assert len(set(row.references)) == len(row.references), row.id
        assert row.id not in row.references
        for target in row.references:
            assert target in years, f"{row.id} cites {target}"
            assert years[target] <= row.year, f"{row.id} of {row.year} cites {target} of {years[target]}"
    assert sum(len(row.references) for row in _papers()) >= 500


def test_summaries_are_two_to_five_sentences() -> None:
    for row in _papers():
        assert 2 <= len(split(row.abstract)) <= 5, row.id
        assert 40 <= len(row.abstract.split()) <= 130, row.id


def test_full_texts_are_of_the_length_they_promise() -> None:
    lengths = {row.id: sum(len(text.split()) for _, text in row.sections) for row in _rows("documents.jsonl")}
    assert 1500 <= lengths["starter:tour"] <= 2200
    assert 1200 <= lengths["starter:ranking-note"] <= 2000
    assert 1200 <= lengths["starter:evidence-note"] <= 2000


def test_no_sentence_of_a_text_starts_where_the_splitter_cannot_see_it() -> None:
    # A sentence that starts in lower case would be shown and proposed as one with the sentence before it.
    for row in _rows("documents.jsonl"):
        for _, text in row.sections:
            assert not re.search(r"[a-z]{3}[.!?] (?:litterm\b|“[^”]*” [a-z])", text), row.id


def test_the_notes_cite_what_they_list() -> None:
    for row in _rows("documents.jsonl"):
        body = " ".join(text for _, text in row.sections)
        by_id = {paper.id: paper for paper in _papers()}
        for target in row.references:
            family = by_id[target].authors[0][0]
            if row.id != "starter:tour":
                assert re.search(rf"{family}[^;]{{0,40}}?{by_id[target].year}", body), f"{row.id}: {target}"


def _key(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]", "", folded.lower())


def _text(element: ElementTree.Element | None) -> str:
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def _grams(text: str) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+", unicodedata.normalize("NFKC", text).lower())
    size = _LONGEST_SHARED + 1
    return {tuple(words[at : at + size]) for at in range(len(words) - size + 1)}


@dataclass(frozen=True, slots=True)
class Source:
    """What a source says about one paper."""

    title: str
    authors: tuple[tuple[str, str], ...]
    year: int
    pages: str
    abstract: str
    decision: str = ""


def _anthology_id(collection: str, volume: str, paper: str) -> str:
    if collection[0].isdigit():
        return f"{collection}-{volume}.{paper}"
    wide = collection[0] == "W" or collection == "C69" or (collection == "D19" and int(volume) >= 10)
    return f"{collection}-{int(volume):02d}{int(paper):02d}" if wide else f"{collection}-{volume}{int(paper):03d}"


def _of_collection(root: ElementTree.Element) -> Iterator[tuple[str, Source]]:
    for volume in root.iter("volume"):
        year = int(_text(volume.find("meta/year")))
        for paper in volume.iterfind("paper"):
            key = _anthology_id(root.get("id", ""), volume.get("id", ""), paper.get("id", ""))
            authors = tuple((_text(each.find("last")), _text(each.find("first"))) for each in paper.iterfind("author"))
            title, pages, abstract = (_text(paper.find(name)) for name in ("title", "pages", "abstract"))
            yield key, Source(title, authors, year, pages, abstract)


@pytest.fixture(scope="module")
def anthology(shared: Path) -> dict[str, Source]:
    """The Anthology's record of every starter paper that has an Anthology id."""
    wanted = {alias[4:] for row in _papers() for alias in row.aliases if alias.startswith("acl:")}
    collections = {key.split("-")[0] for key in wanted}
    found: dict[str, Source] = {}
    with tarfile.open(shared / "data" / "acl-anthology-xml.tar.gz") as archive:
        for member in archive:
            name = Path(member.name)
            stream = archive.extractfile(member) if name.suffix == ".xml" and name.stem in collections else None
            if stream is not None:
                read = _of_collection(ElementTree.parse(stream).getroot())
                found |= {key: source for key, source in read if key in wanted}
    return found


@pytest.fixture(scope="module")
def iclr(shared: Path) -> dict[str, Source]:
    """ICLR records by forum id and by arXiv number."""
    found: dict[str, Source] = {}
    with gzip.open(shared / "data" / "iclr.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            data = json.loads(line)
            authors = tuple(("", name) for name in data["authors"])
            key = data["id"].replace("arXiv:", "arxiv:") if data["id"].startswith("arXiv:") else f"iclr:{data['id']}"
            found[key] = Source(data["title"], authors, data["year"], "", data["abstract"], data["decision"])
    return found


def _with_scheme(scheme: str) -> Iterator[tuple[Row, str]]:
    return ((row, alias) for row in _papers() for alias in row.aliases if alias.startswith(f"{scheme}:"))


def test_facts_agree_with_the_anthology(anthology: dict[str, Source]) -> None:
    checked = 0
    for row, alias in _with_scheme("acl"):
        source = anthology[alias[4:]]
        assert _key(row.title) == _key(source.title), row.id
        assert [_key("".join(name)) for name in row.authors] == [_key("".join(name)) for name in source.authors], row.id
        assert row.year == source.year, row.id
        assert re.split(r"\D+", row.pages) == re.split(r"\D+", source.pages), row.id
        checked += 1
    assert checked >= 100


def test_facts_agree_with_iclr(iclr: dict[str, Source]) -> None:
    checked = 0
    for row in _papers():
        for source in (iclr[alias] for alias in row.aliases if alias in iclr):
            assert _key(row.title) == _key(source.title), row.id
            # OpenReview does not always keep the order of the paper itself.
            own = Counter(_key(given + family) for family, given in row.authors)
            assert own == Counter(_key(name) for _, name in source.authors), row.id
            assert row.year == source.year, row.id
            assert source.decision in (row.decision, "unknown"), row.id
            checked += 1
    assert checked >= 25


def test_what_became_of_each_submission_to_iclr_is_known() -> None:
    assert {row.decision for row in _papers() if row.venue == "ICLR"} == {"accept", "workshop"}


def test_summaries_are_not_the_authors_words(anthology: dict[str, Source], iclr: dict[str, Source]) -> None:
    sources = {f"acl:{key}": source for key, source in anthology.items()} | iclr
    compared = 0
    for row in _papers():
        own = _grams(row.abstract)
        for source in (sources[alias] for alias in row.aliases if alias in sources):
            assert not own & _grams(source.abstract), row.id
            compared += bool(source.abstract)
    assert compared >= 80


def _cited(folder: Path) -> Iterator[ElementTree.Element]:
    for path in sorted(folder.glob("*.*ml")):
        text = re.sub(r"<!DOCTYPE[^>]*>|xmlns=\"[^\"]*\"", "", path.read_text("utf-8"))
        text = re.sub(r"&(?!(?:amp|lt|gt|quot|apos|#)\b)\w+;", " ", text)
        try:
            root = ElementTree.fromstring(text)
        except ElementTree.ParseError:
            continue
        for kind in ("element-citation", "mixed-citation", "citation", "nlm-citation"):
            yield from root.iter(kind)


def _agrees(row: Row, cited: ElementTree.Element) -> Iterator[tuple[str, bool]]:
    yield "year", _text(cited.find("year"))[:4] in ("", str(row.year))
    # Until 1990 the Lancet had two volumes a year, which some count through and others do not.
    volume = _text(cited.find("volume"))
    yield "volume", volume in ("", row.volume) or (volume in ("1", "2") and "Lancet" in row.raw)
    yield "page", _text(cited.find("fpage")) in ("", row.pages.split("–")[0])
    surname = cited.find(".//surname")
    yield "author", surname is None or _key(_text(surname)) == _key(row.authors[0][0])


def test_facts_agree_with_reference_lists_of_articles(shared: Path) -> None:
    by_title = {_key(row.title): row for row in _papers()}
    checked = set()
    for cited in _cited(shared / "data" / "jats"):
        row = by_title.get(_key(_text(cited.find("article-title"))))
        if row is not None:
            wrong = [what for what, agrees in _agrees(row, cited) if not agrees]
            assert not wrong, f"{row.id}: {wrong}"
            checked.add(row.id)
    assert len(checked) >= 10
