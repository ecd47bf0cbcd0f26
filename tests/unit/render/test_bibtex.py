"""BibTeX that parses back to the same facts, and never claims what is not so."""

from __future__ import annotations

import re
from dataclasses import replace

import bibtexparser
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from regex_costs import RATIO, growth

from litterm.model.paper import Author, Decision, Paper, PaperId, PublicationDetails
from litterm.render.bibliography import bibtex
from litterm.render.bibliography.bibtex import escape, escape_title
from litterm.render.bibliography.keys import STANDARD_KEYS, pandoc_citation
from litterm.text.escape import plain

TEXT = st.text(
    st.one_of(st.characters(), st.sampled_from("\\{}~^&%$#_@,\"' abcXYZ=\n\x1b[")), min_size=1, max_size=40
).filter(lambda text: bool(plain(text).strip()))
NAMES = st.builds(
    Author,
    family=TEXT.map(lambda text: plain(text).strip()).filter(bool),
    given=st.one_of(st.just(""), TEXT.map(lambda text: plain(text).strip())),
)
PAPERS = st.builds(
    Paper,
    id=st.integers(1, 10**6).map(lambda n: PaperId(f"local:{n}")),
    title=TEXT,
    authors=st.lists(NAMES, max_size=4).map(tuple),
    year=st.one_of(st.none(), st.integers(1500, 2100)),
    type=st.sampled_from(["article", "inproceedings", "preprint", "book", "thesis", "other"]),
    retraction=st.one_of(st.just(""), st.just("retracted: data made up")),
    imprint=st.builds(
        PublicationDetails,
        booktitle=TEXT,
        journal=TEXT,
        volume=TEXT,
        publisher=TEXT,
        bibkey=st.one_of(st.just(""), TEXT),
    ),
)


def unescaped(value: str) -> str:
    """What TeX would print, for text without formulas."""
    names = {"textbackslash": "\\", "textbraceleft": "\x01", "textbraceright": "\x02"}
    names |= {"textasciitilde": "~", "textasciicircum": "^"}
    value = re.sub(r"\\(text\w+)\{\}", lambda found: f"\x03{names[found[1]]}", value)
    value = re.sub(r"(?<!\x03)\\([&%$#_])", r"\1", value).replace("\x03", "")
    return value.replace("{", "").replace("}", "").replace("\x01", "{").replace("\x02", "}")


def same(value: str) -> str:
    return " ".join(value.split())


def fields_of(text: str) -> dict[str, str]:
    library = bibtexparser.parse_string(text)
    assert library.failed_blocks == []
    (entry,) = library.entries
    return {field.key: field.value for field in entry.fields}


def paper(**fields: object) -> Paper:
    return Paper(**({"id": PaperId("acl:x"), "title": "A Title", "type": "inproceedings"} | fields))  # type: ignore[arg-type]


@settings(max_examples=60, deadline=None)
@given(PAPERS.filter(lambda p: "$" not in p.title + str(p.imprint)))
def test_an_entry_parses_back_to_the_same_fields(one: Paper) -> None:
    fields = fields_of(bibtex.entries([one]))
    assert same(unescaped(fields["title"])) == same(plain(one.title))
    assert fields.get("year") == (str(one.year) if one.year else None)
    if one.type == "article":
        assert same(unescaped(fields["journal"])) == same(plain(one.imprint.journal))
    if one.type == "inproceedings":
        assert same(unescaped(fields["booktitle"])) == same(plain(one.imprint.booktitle))
    assert same(unescaped(fields["volume"])) == same(plain(one.imprint.volume))
    if one.authors:
        people = [f"{a.family}, {a.given}" if a.given else a.family for a in one.authors]
        assert same(unescaped(fields["author"])) == same(" and ".join(people))


@settings(max_examples=50, deadline=None)
@given(st.lists(PAPERS, max_size=6))
def test_many_papers_give_as_many_entries_with_keys_of_their_own(many: list[Paper]) -> None:
    library = bibtexparser.parse_string(bibtex.entries(many))
    assert library.failed_blocks == []
    assert len(library.entries) == len({one.id for one in many})
    keys = [entry.key for entry in library.entries]
    assert len({key.lower() for key in keys}) == len(keys)
    assert not any(re.search(r'[\s,{}%#"\\~=^]', key) for key in keys)


@given(TEXT)
def test_braces_of_a_value_always_balance(text: str) -> None:
    for value in (escape(plain(text)), escape_title(plain(text))):
        depth = 0
        for char in value:
            depth += (char == "{") - (char == "}")
            assert depth >= 0
        assert depth == 0


@pytest.mark.parametrize(
    ("title", "value"),
    [
        ("BERT: Pre-training of Deep Transformers", "{BERT}: Pre-training of Deep Transformers"),
        ("Sheared LLaMA and GPT-4 in 3D", "Sheared {LLaMA} and {GPT}-4 in {3D}"),
        (
            "Learning to parse German with the Viterbi algorithm",
            "Learning to parse {German} with the {Viterbi} algorithm",
        ),
        ("Reading by machine: Two notes on parsing", "Reading by machine: Two notes on parsing"),
        ("Vitamin C and Programs in R", "Vitamin {C} and Programs in {R}"),
        ("A STUDY OF OLD TITLES", "A STUDY OF OLD TITLES"),
        ("Sorting in $O(n^2)$ and 50% of the T5 & C#", "Sorting in $O(n^2)$ and 50\\% of the {T5} \\& {C}\\#"),
        ("It costs $5 or $6_", "It costs \\$5 or \\$6\\_"),
        ("What's in a name?", "What's in a name?"),
        # Dashes and quotation marks as TeX has them: many services give titles so.
        ("It reads ``so'' -- a study", "It reads ``so'' -- a study"),
        ("Of &lt; and <b>bold</b> if a < b", "Of \\&{}lt; and <{}b>bold<{}/b> if a < b"),
    ],
)
def test_capitals_and_formulas_survive_and_the_rest_is_literal(title: str, value: str) -> None:
    assert escape_title(title) == value


def test_the_key_of_the_source_comes_first_and_others_are_made_from_the_paper_alone() -> None:
    authors = (Author("Xia", "M"), Author("Zhong", "Z"), Author("Chen", "D"))
    own = paper(imprint=PublicationDetails(bibkey="xia-etal-2022-structured"))
    assert STANDARD_KEYS.key(own) == "xia-etal-2022-structured"
    made = paper(title="The Structured Pruning", authors=authors, year=2022)
    assert STANDARD_KEYS.key(made) == "xia-etal-2022-structured"
    assert (
        STANDARD_KEYS.key(paper(title="Ünder", authors=(Author("Müller", "K"),), year=None))
        == "Muller-nd-under".lower()
    )
    assert STANDARD_KEYS.key(paper(title="東京", authors=(Author("東"),), id=PaperId("acl:P18-1"))) == "acl:P18-1"


def test_of_equal_keys_the_first_keeps_it_and_the_next_gets_its_id() -> None:
    one, two = (paper(id=PaperId(f"acl:P{n}"), authors=(Author("Lee", "A"),), year=2020) for n in (1, 2))
    assert STANDARD_KEYS.keys_of([one, two, one]) == {"acl:P1": "lee-2020-title", "acl:P2": "lee-2020-title-P2"}


@pytest.mark.parametrize(
    "own",
    ["Müller2010", "王2013", "O'Neil2011", "Smith(2016)a", "DBLP:conf/acl/X", "a_b&c$d@e*f!", "Ærø-2001", "ЛевТ1877"],
)
def test_the_users_own_key_is_written_to_the_letter(own: str) -> None:
    one = paper(imprint=PublicationDetails(bibkey=own))
    assert bibtex.entries([one]).startswith(f"@inproceedings{{{own},\n")
    assert STANDARD_KEYS.notices([one], STANDARD_KEYS.keys_of([one])) == ()


@pytest.mark.parametrize(
    ("own", "key"),
    [
        ("Smith, 2010", "Smith2010"),
        ("Smith 2010", "Smith2010"),
        ("Smith}2010{", "Smith2010"),
        ("50%#1", "501"),
        ('a\\input~b=c"d', "ainputbcd"),
        ("x^^5cinput", "x5cinput"),
        ("Smi\u202eth\n2010", "Smith2010"),
        ("}, title = {", "title"),
        ("{}", "nd-title"),
    ],
)
def test_a_key_that_would_break_the_file_loses_what_breaks_it_and_that_is_said(own: str, key: str) -> None:
    one = paper(imprint=PublicationDetails(bibkey=own), authors=())
    keys = STANDARD_KEYS.keys_of([one])
    assert keys == {one.id: key}
    (said,) = STANDARD_KEYS.notices([one], keys)
    assert said.endswith(f"it is written as {key}.")
    assert plain(said) == said


def test_of_equal_keys_of_the_users_own_the_next_get_a_letter_and_that_is_said() -> None:
    papers = [paper(id=PaperId(f"acl:P{n}"), imprint=PublicationDetails(bibkey="Lee2020")) for n in range(28)]
    keys = list(STANDARD_KEYS.keys_of(papers).values())
    assert (*keys[:3], *keys[26:]) == ("Lee2020", "Lee2020a", "Lee2020b", "Lee2020z", "Lee2020a1")
    assert STANDARD_KEYS.notices(papers[:2], STANDARD_KEYS.keys_of(papers)) == (
        "The key “Lee2020” is that of another paper too; for “A Title” it is written as Lee2020a.",
    )
    entry = paper(imprint=PublicationDetails(bibkey="lee2020"))
    assert STANDARD_KEYS.keys_of([entry], {"lee2020", "lee2020a"}) == {entry.id: "lee2020b"}


@pytest.mark.parametrize(
    ("key", "mark"),
    [
        ("lee-2020:a", "[@lee-2020:a]"),
        ("Müller2010", "[@Müller2010]"),
        ("O'Neil2011", "[@{O'Neil2011}]"),
        ("Smith(2016)a", "[@{Smith(2016)a}]"),
        ("a](http://x)", "[@{a\\](http://x)}]"),
        ("<script>", "[@{\\<script\\>}]"),
    ],
)
def test_pandoc_reads_each_key_whole_and_nothing_else_acts(key: str, mark: str) -> None:
    assert pandoc_citation(key) == mark


@pytest.mark.parametrize(
    ("degree", "kind", "word"),
    [
        ("phd", "phdthesis", None),
        ("master", "mastersthesis", None),
        ("bachelor", "thesis", "{Bachelor}’s thesis"),
        ("Diplomarbeit", "thesis", "{Diplomarbeit}"),
        ("", "thesis", None),
    ],
)
def test_a_thesis_has_its_own_degree(degree: str, kind: str, word: str | None) -> None:
    one = paper(type="thesis", imprint=PublicationDetails(thesis=degree, institution="Univ. of Y", publisher="P"))
    text = bibtex.entries([one])
    assert text.startswith(f"@{kind}{{")
    fields = fields_of(text)
    assert (fields.get("type"), fields["school"], fields["publisher"]) == (
        word and word.replace("{", "").replace("}", ""),
        "Univ. of Y",
        "P",
    )


def test_what_the_source_said_is_written() -> None:
    details = PublicationDetails(
        **{"booktitle": "Boats", "series": "LNCS", "edition": "2nd", "isbn": "978-3-16-148410-0", "issn": "1234-5678"},
        **{"article_number": "e77", "note": "Best 100% paper", "files": ("papers/a_b.pdf", "C:\\x;y.pdf")},
    )
    one = paper(
        abstract="Boats & ships are {counted}.",
        keywords=("boats", "ships, old"),
        aliases=(PaperId("pmid:90123456"), PaperId("pmc:PMC77")),
        date="2018-07-05",
        imprint=details,
    )
    fields = fields_of(bibtex.entries([one]))
    assert unescaped(fields["abstract"]) == one.abstract
    assert (fields["keywords"], fields["day"], fields["note"]) == ("boats; ships, old", "5", "Best 100\\% paper")
    assert (fields["booktitle"], fields["series"], fields["edition"]) == ("Boats", "LNCS", "2nd")
    assert (fields["isbn"], fields["issn"], fields["eid"]) == ("978-3-16-148410-0", "1234-5678", "e77")
    assert (fields["pmid"], fields["pmcid"]) == ("90123456", "PMC77")
    assert fields["file"] == "papers/a_b.pdf;:C\\:\\\\x\\;y.pdf:PDF"
    assert "abstract" not in fields_of(bibtex.entries([replace(one, abstract_by="litterm")]))


def test_a_note_of_the_source_beside_a_retraction_does_not_hide_it() -> None:
    fields = fields_of(bibtex.entries([paper(retraction="retracted", imprint=PublicationDetails(note="To appear"))]))
    assert (fields["note"], fields["addendum"]) == ("Retracted", "To appear")


@pytest.mark.parametrize(
    ("doi", "value"),
    [
        (
            "10.1002/(sici)1096-9861(19960129)365:1<113::aid-cne9>3.0.co;2-6",
            "10.1002/(sici)1096-9861(19960129)365:1<113::aid-cne9>3.0.co;2-6",
        ),
        ("10.1000/a%b_c#d&e", "10.1000/a\\%b_c#d&e"),
        ("10.1000/}^^5c{", "10.1000/\\%7D\\%5E\\%5E5c\\%7B"),
    ],
)
def test_a_doi_is_written_as_it_is_but_for_what_tex_obeys(doi: str, value: str) -> None:
    assert f"  doi = {{{value}}},\n" in bibtex.entries([paper(aliases=(PaperId(f"doi:{doi}"),))])


def test_the_address_that_no_id_says_comes_first() -> None:
    urls = ("https://doi.org/10.1/x", "https://journal.example.org/x")
    assert fields_of(bibtex.entries([paper(urls=urls)]))["url"] == urls[1]
    assert "url" not in fields_of(bibtex.entries([paper(urls=urls[:1])]))


@pytest.mark.parametrize(
    ("decision", "words"),
    [
        ("reject", "Submitted to ICLR 2021; rejected"),
        ("withdrawn", "Submitted to ICLR 2021; withdrawn"),
        ("desk-reject", "Submitted to ICLR 2021; desk-rejected"),
        ("unknown", "Submitted to ICLR 2021; decision unknown"),
        ("workshop", "Workshop track of ICLR 2021"),
    ],
)
def test_what_was_not_accepted_is_never_in_the_proceedings(decision: Decision, words: str) -> None:
    imprint = PublicationDetails(
        booktitle="International Conference on Learning Representations", publisher="X", pages="1-2"
    )
    one = paper(id=PaperId("iclr:a"), venue="ICLR", year=2021, decision=decision, imprint=imprint)
    text = bibtex.entries([one])
    assert text.startswith("@misc{")
    assert "booktitle" not in text
    assert "pages" not in text
    assert fields_of(text)["note"] == words


def test_what_was_accepted_is_in_the_proceedings() -> None:
    one = paper(id=PaperId("iclr:a"), venue="ICLR", year=2021, decision="accept")
    text = bibtex.entries([one])
    assert text.startswith("@inproceedings{")
    assert fields_of(text)["booktitle"] == "International Conference on Learning Representations"


def test_a_rejected_submission_that_the_anthology_holds_was_published_there() -> None:
    one = paper(id=PaperId("iclr:a"), aliases=(PaperId("acl:2022.x"),), venue="ACL", decision="reject")
    assert bibtex.entries([one]).startswith("@inproceedings{")


def test_a_retraction_is_said() -> None:
    assert fields_of(bibtex.entries([paper(retraction="retracted: data made up")]))["note"] == "Retracted: data made up"


def test_groups_commas_and_the_word_and_stay_one_name() -> None:
    people = (Author("World Health Organization"), Author("Bell and Sons"), Author("Smith, Jr.", "A."), Author("Plato"))
    value = fields_of(bibtex.entries([paper(authors=people)]))["author"]
    assert value == "{World Health Organization} and {Bell and Sons} and {Smith, Jr.}, A. and Plato"


def test_ids_dates_pages_and_addresses_are_written_as_tools_read_them() -> None:
    one = paper(
        aliases=(PaperId("doi:10.1/a_b"), PaperId("arxiv:1805.04833")),
        date="2018-07-15",
        urls=("https://x.org/a_b?c={d}",),
        imprint=PublicationDetails(pages="889–898"),
    )
    fields = fields_of(bibtex.entries([one]))
    assert (fields["doi"], fields["eprint"], fields["archiveprefix"]) == ("10.1/a_b", "1805.04833", "arXiv")
    assert (fields["month"], fields["pages"], fields["url"]) == ("jul", "889--898", "https://x.org/a_b?c=%7Bd%7D")


def test_no_papers_give_no_text() -> None:
    assert bibtex.entries([]) == ""


@pytest.mark.parametrize("unit", ["Ab ", "$", "$a_1$ ", "$a", "{", "\\", "a-", "A: ", " and "])
def test_a_title_twice_as_long_takes_no_more_than_twice_the_time_to_write(unit: str) -> None:
    def write(text: str) -> None:
        author = Author(family=text)
        bibtex.entries(
            [Paper(PaperId("local:1"), text, authors=(author,), imprint=PublicationDetails(journal=text, pages=text))]
        )

    assert growth(write, unit, 25_000) < RATIO


def test_a_key_has_the_family_name_without_suffix_and_in_its_own_script_if_it_has_no_other() -> None:
    suffixed = paper(title="Owls", authors=(Author("Berg", "Jan", "van den", "Jr."),))
    assert STANDARD_KEYS.key(suffixed).startswith("vandenberg-")
    assert STANDARD_KEYS.key(paper(title="Owls", authors=(Author("王", "小明"),))).startswith("王-")
    assert STANDARD_KEYS.key(paper(title="Owls", authors=(Author("王", "小明"), Author("Lee", "A.")))).startswith(
        "lee-"
    )
