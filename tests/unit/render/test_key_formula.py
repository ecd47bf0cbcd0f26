"""Formulas of citation keys, as Better BibTeX has them."""

import pytest

from litterm.core.errors import BadInput, SettingsError
from litterm.model.paper import Author, Paper, PaperId, Provenance, PublicationDetails, SourceRecord
from litterm.render.bibliography.key_formula import parse_key_formula
from litterm.render.bibliography.keys import STANDARD_KEYS, open_citation_keys

BERT = Paper(
    PaperId("acl:N19-1423"),
    "BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding",
    authors=(Author("Devlin", "Jacob"), Author("Chang", "Ming-Wei"), Author("Lee", "Kenton")),
    year=2019,
    date="2019-06",
    venue="NAACL",
    type="inproceedings",
    aliases=(PaperId("doi:10.18653/v1/N19-1423"),),
    imprint=PublicationDetails(booktitle="Proceedings of NAACL", pages="4171-4186", bibkey="devlin-etal-2019-bert"),
    provenance=Provenance("anthology"),
)
OWLS = Paper(
    PaperId("doi:10.1/owls"),
    "Über die Größe der Eulen: ein Überblick",
    authors=(Author("Maaten", "Laurens J. P.", prefix="van der"),),
    year=2008,
    type="article",
    keywords=("owls",),
    imprint=PublicationDetails(journal="Journal of Owls", volume="12", language="de"),
)


@pytest.mark.parametrize(
    ("formula", "bert", "owls"),
    [
        # The default of Better BibTeX, in both syntaxes, and what people ask for most.
        ("auth.lower + shorttitle(3,3) + year", "devlinBERTPretrainingDeep2019", "vandermaatenUeberGroesseEulen2008"),
        ("[auth:lower][shorttitle3_3][year]", "devlinBERTPretrainingDeep2019", "vandermaatenUeberGroesseEulen2008"),
        ("[auth:lower][year]", "devlin2019", "vandermaaten2008"),
        ("auth.lower + year + veryshorttitle.lower", "devlin2019bert", "vandermaaten2008ueber"),
        ("[auth:lower]_[veryshorttitle:lower]_[year]", "devlin_bert_2019", "vandermaaten_ueber_2008"),
        ("authEtAl + year", "DevlinEtAl2019", "vanderMaaten2008"),
        ("[auth.etal:lower][year]", "devlin.etal2019", "vandermaaten2008"),
        ("authorsAlpha + shortyear", "DCL19", "van08"),
        ("authors(2) + year", "DevlinChangEtAl2019", "vanderMaaten2008"),
        ("[authors2][year]", "DevlinChangEtAl2019", "vanderMaaten2008"),
        ("authorsn(n=1,initials=true).condense('-')", "DevlinJ-EtAl", "van-der-MaatenLJP"),
        ("auth(3,2).upper", "CHA", ""),
        ("authshort", "D.C.L", "vanderMaaten"),
        ("authorIni", "Devli.C.L", "vand"),
        ("Title.skipwords.select(2,2).condense('_')", "Pre-training_Deep", "Groesse_Eulen"),
        ("[Title:skipwords:select,1,1:lower]", "bert", "ueber"),
        ("Title.skipwords(true).abbr", "BPDBTLU", "UeGEUe"),
        ("title.substring(1,4).capitalize", "BERT", "Uebe"),
        ("journal.lower + firstpage", "naacl4171", "journalofowls"),
        ("month + year.prefix('-').postfix('x')", "jun-2019x", "-2008x"),
        ("DOI", "10.18653/v1/N19-1423", "10.1/owls"),
        ("(month || 'nd') + auth", "junDevlin", "ndvanderMaaten"),
        ("type(book, journalArticle) + Volume | auth", "Devlin", "12"),
        ("[=book/journalArticle][Volume]|[auth]", "Devlin", "12"),
        ("language(german) + 'de' | auth", "Devlin", "de"),
        ("journal.len('>', 5) + year; auth;", "Devlin", "JournalofOwls2008"),
        ("[month][>0][year]|[auth:replace,e,i]", "jun2019", "vandirMaatin"),
        ("auth.replace(/(l|t)/g, '<$1>').lower", "dev<l>in", "vandermaa<t>en"),
        ("auth.match(/^(D)/) + keyword(0) | 'x'", "D", "x"),
        ("zotero", "devlin_bert_2019", "vandermaaten_ueber_2008"),
    ],
)
def test_a_formula_gives_the_key_that_better_bibtex_gives(formula: str, bert: str, owls: str) -> None:
    parsed = parse_key_formula(formula)
    assert (parsed.key(BERT), parsed.key(OWLS)) == (bert, owls)


@pytest.mark.parametrize(
    ("formula", "named"),
    [
        ("authr.lower", "no “authr” for citation keys; there are ArXiv, auth,"),
        ("[autr][year]", "no “autr”"),
        ("auth.lowr", "filter “lowr” for citation keys; there are abbr,"),
        ("[auth:lowr]", "filter “lowr”"),
        ("auth + ", "at its end"),
        ("auth.lower)", "at “)”"),
        ("[auth", "at “[auth”"),
        ("auth('a')", "cannot use 'a'"),
        ("auth(1,2,'*',true,5)", "at most 4 values"),
        ("auth(size=2)", "has no “size”; it has creator, initials, m, n"),
        ("[Title:select,one]", "“one” where a number belongs"),
        ("auth.replace(/(/, '')", "expression that cannot be read"),
        ("postfix('x') + auth", "needs one of %(a)s"),
        ("[]", "is empty"),
        ("auth + " * 400 + "year", "2,000 characters"),
    ],
)
def test_what_cannot_be_read_is_named_with_what_there_is(formula: str, named: str) -> None:
    with pytest.raises(BadInput, match="citation keys") as caught:
        parse_key_formula(formula)
    assert named in str(caught.value)
    with pytest.raises(SettingsError, match=r"^citation_key: "):
        open_citation_keys(formula)


def test_the_users_own_key_stands_above_the_formula_and_that_above_an_archives() -> None:
    keys = open_citation_keys("auth.lower + year")
    imprint = PublicationDetails(bibkey="BERT19")
    mine = Paper(BERT.id, BERT.title, imprint=imprint, provenance=Provenance("bibtex"))
    merged = Paper(
        PaperId("acl:N19-1423"),
        BERT.title,
        authors=BERT.authors,
        year=2019,
        imprint=PublicationDetails(bibkey="BERT19"),
        provenance=Provenance("anthology"),
        sources=(SourceRecord(BERT), SourceRecord(mine)),
    )
    assert [keys.key(paper) for paper in (BERT, mine, merged)] == ["devlin2019", "BERT19", "BERT19"]
    assert keys.with_given({BERT.id: "draft"}).key(BERT) == "draft"
    assert STANDARD_KEYS.key(BERT) == "devlin-etal-2019-bert"
    # A formula that gives nothing for a paper leaves it the key that it would have without one.
    assert open_citation_keys("Volume").key(OWLS) == "12"
    assert open_citation_keys("Volume").key(mine) == "BERT19"


def test_equal_keys_get_letters_or_what_the_formula_says() -> None:
    def paper(number: int) -> Paper:
        return Paper(PaperId(f"doi:10.1/{number}"), "Owls", authors=(Author("Lee"),), year=2020)

    papers = [paper(number) for number in range(29)]
    keys = list(open_citation_keys("auth.lower + year").keys_of(papers).values())
    assert keys[:3] == ["lee2020", "lee2020a", "lee2020b"]
    assert keys[26:] == ["lee2020z", "lee2020a1", "lee2020b1"]
    for formula in ("postfix('-%(n)s') + auth.lower", "[auth:lower][postfix=-%(n)s]", "[auth:lower][0]"):
        assert list(open_citation_keys(formula).keys_of(papers[:3]).values()) == ["lee", "lee-1", "lee-2"]
    assert open_citation_keys("auth").notices(papers, open_citation_keys("auth").keys_of(papers)) == ()


def test_no_key_breaks_a_bibliography() -> None:
    odd = Paper(PaperId("doi:10.1/odd"), "A {b} % # title, of ~100\\%", authors=(Author("O'Neil, {x}", "A"),))
    key = open_citation_keys("Auth + Title + '}, %'").key(odd)
    assert key == "ONeilxAbtitleof100"
