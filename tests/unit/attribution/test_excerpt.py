"""Excerpts: marks of every form, what is left out of the query, and what each word weighs."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litterm.attribution.excerpt import read_excerpt
from litterm.attribution.marks import find_marks
from litterm.core.errors import UsageError
from litterm.model.document import Span
from litterm.text import request_limits
from litterm.text.request_limits import MAX_QUERY_WORDS


def marked(text: str) -> list[str]:
    return [text[mark.span.start : mark.span.end] for mark in find_marks(text)]


def chosen(text: str, mark: int = 0) -> str:
    excerpt = read_excerpt(text, mark)
    return text[excerpt.marks[excerpt.chosen].start : excerpt.marks[excerpt.chosen].end]


def words(text: str, mark: int = 0) -> list[str]:
    return [word.word for word in read_excerpt(text, mark).words]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("attention [CITATION] helps", ["[CITATION]"]),
        ("attention [citation] and [?] and (?)", ["[citation]", "[?]", "(?)"]),
        (r"attention \cite{} and \citep{?}", [r"\cite{}", r"\citep{?}"]),
        (r"attention \citet[see][p. 3]{vaswani17,luong15}", [r"\citet[see][p. 3]{vaswani17,luong15}"]),
        ("attention (Vaswani et al., 2017) helps", ["Vaswani et al., 2017"]),
        ("(e.g., Luong and Manning, 2015; Britz 2017a,b)", ["Luong and Manning, 2015", "Britz 2017a,b"]),
        ("as Luong, Pham and Manning (2015) found", ["Luong, Pham and Manning (2015)"]),
        ("In van der Berg (2001) it", ["van der Berg (2001)"]),
        ("Müller-Lüdenscheidt & O’Brien (1999)", ["Müller-Lüdenscheidt & O’Brien (1999)"]),
        ("attention [3, 7-9] and [12]", ["[3, 7-9]", "[12]"]),
        ("values in [0, 1] from 2017 (see below)", []),
        ("the model (2010) of the year 2011", []),
    ],
)
def test_marks_are_found(text: str, found: list[str]) -> None:
    assert marked(text) == found


@pytest.mark.parametrize(
    ("text", "mark", "expected"),
    [
        ("Luong (2015) and [3] and [CITATION]", 0, "[CITATION]"),
        (r"[3] and \cite{x} and \cite{}", 0, r"\cite{}"),
        (r"[3] and \cite{x}", 0, r"\cite{x}"),
        ("[3] and Luong (2015)", 0, "Luong (2015)"),
        ("[CITATION] before [CITATION]", 0, "[CITATION]"),
        ("Luong (2015) and [3] and [CITATION]", 1, "Luong (2015)"),
        ("Luong (2015) and [3] and [CITATION]", 2, "[3]"),
    ],
)
def test_the_masked_citation_is_meant_first_and_any_other_can_be_chosen(text: str, mark: int, expected: str) -> None:
    assert chosen(text, mark) == expected


def test_without_a_mark_the_end_of_the_text_is_meant() -> None:
    excerpt = read_excerpt("Subword units help rare words in translation")
    assert (excerpt.chosen, excerpt.marks) == (-1, ())
    weights = {word.word: word.weight for word in excerpt.words}
    assert weights["translation"] > weights["rare"] > weights["units"]
    assert "end of the text" in excerpt.lint


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        ("Subwords [CITATION] beat words (Sennrich et al., 2016)", {"sennrich", "2016", "et", "al"}),
        ("Subwords [CITATION] beat what Luong and Manning (2015) built", {"luong", "manning", "2015"}),
        ("Okada et al. [CITATION] built subwords", {"okada"}),
        ("[AUTHOR] and McKeown (H. [CITATION]) built subwords", {"author", "mckeown"}),
        (r"\textbf{Subwords} \cite{sennrich16} [CITATION]", {"textbf", "cite", "sennrich16"}),
        ("Subwords [CITATION], see https://example.org/subwords-code", {"https", "example", "org"}),
        ("What is the method that subwords use in this paper [CITATION]", {"what", "is", "the", "method", "paper"}),
    ],
)
def test_names_other_citations_and_boilerplate_are_left_out(text: str, left_out: set[str]) -> None:
    found = set(words(text))
    assert not found & left_out
    assert "subwords" in found


def test_words_near_the_mark_weigh_more() -> None:
    text = "parsing " + "filler " * 30 + "tagging [CITATION] chunking"
    weights = {word.word: word.weight for word in read_excerpt(text).words}
    assert weights["tagging"] == weights["chunking"] == pytest.approx(1.0)
    assert weights["parsing"] == pytest.approx(0.15 + 0.85 * 2.718281828 ** (-31 / 20))


def test_names_of_things_weigh_more_than_the_word_that_opens_a_sentence() -> None:
    weights = {word.word: word.weight for word in read_excerpt("Parsing with ELMo and Penn trees [CITATION]").words}
    assert weights["elmo"] > 1.2
    assert weights["penn"] > 1.2
    assert weights["parsing"] < 1


def test_the_lint_names_coined_words_and_counts_marks() -> None:
    lint = read_excerpt("We use ESIM and ELMo embeddings for entailment [CITATION] as in [3]").lint
    assert lint == "2 marks; this is about [CITATION] · names beside the mark: ELMo, ESIM"
    assert read_excerpt("[CITATION] and [CITATION]", 1).lint.startswith("2 marks; this is about [CITATION] number 2")
    assert read_excerpt("It is what we used in [CITATION]").lint == "one mark · no word to search for"
    assert "very few words" in read_excerpt("Subwords [CITATION]").lint


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_a_blank_excerpt_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match="empty"):
        read_excerpt(text)


def test_a_whole_draft_is_refused() -> None:
    with pytest.raises(UsageError, match="only the sentences"):
        read_excerpt("word " * (MAX_QUERY_WORDS + 1))


@pytest.mark.parametrize(("text", "mark"), [("one [CITATION]", 1), ("none", 1), ("one [CITATION]", -1)])
def test_a_mark_that_is_not_there_is_a_usage_error(text: str, mark: int) -> None:
    with pytest.raises(UsageError, match="no mark"):
        read_excerpt(text, mark)


PIECES = st.sampled_from(
    "[CITATION]|[?]|\\cite{}|\\cite{a}|(Luong, 2015)|Luong et al. (2015)|[12]|[AUTHOR]|"
    "subword|units|BLEU|the|了|é|(|]|.|\n| | ".split("|")
)


@settings(max_examples=80, deadline=None)
@given(st.lists(PIECES, max_size=30).map("".join) | st.text(max_size=200))
def test_any_text_has_ordered_marks_inside_it_and_positive_weights(text: str) -> None:
    if not text.strip():
        return
    excerpt = read_excerpt(text)
    spans = [(span.start, span.end) for span in excerpt.marks]
    assert spans == sorted(spans)
    assert all(start < end <= len(text) for start, end in spans)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert -1 <= excerpt.chosen < max(1, len(spans))
    assert all(0 < word.weight <= 2 and word.word for word in excerpt.words)
    if "[CITATION]" in text:
        assert text[slice(*spans[excerpt.chosen])].upper() == "[CITATION]"
    for mark in range(len(spans)):
        assert read_excerpt(text, mark).marks == excerpt.marks


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet="abcdefg hijkl", min_size=1, max_size=80).filter(str.strip))
def test_every_content_word_of_plain_text_is_searched_for_when_there_is_a_mark(text: str) -> None:
    typed = set(text.split())
    assert set(words(text + " [CITATION]")) <= typed


@pytest.mark.parametrize(
    "piece",
    [
        "A, ",
        "Aa and ",
        r"\cite",
        r"\cite[",
        "[1, ",
        "(A 19",
        "[",
        "(?)",
        "[1]",
        "A-",
        "van ",
        "et al ",
        "https://x",
        "[AUTHOR], ",
    ],
)
def test_hostile_text_is_read_in_linear_time(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Far beyond the limit, so that work that is not linear would show.
    monkeypatch.setattr(request_limits, "MAX_QUERY_WORDS", 100_000)
    text = (piece * 100_000)[:100_000]
    started = time.process_time()
    read_excerpt(text)
    assert time.process_time() - started < 30


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Contextual vectors come from ELMo [CITATION] and help entailment.", "trivial"),
        ("The L-LDA model [CITATION] supervises topics.", "trivial"),
        ("We follow the hyperparameters of [CITATION] when training parsers.", "unattributable"),
        ("We use the same experimental setup as [CITATION] for all parsers.", "unattributable"),
        ("Training settings for the parser follow [CITATION].", "unattributable"),
        ("Many parsers were built for Czech (e.g., [CITATION]).", "ambiguous"),
        ("It is what we used in [CITATION].", "wordless"),
        ("Sentence compression keeps the most important information of the original [CITATION].", "attributable"),
        ("For example, [CITATION] determinise weighted tree automata before parsing.", "attributable"),
    ],
)
def test_how_attributable_an_excerpt_looks_is_told_after_citeme(text: str, kind: str) -> None:
    excerpt = read_excerpt(text)
    assert excerpt.kind == kind
    assert "\n" not in excerpt.lint


@pytest.mark.parametrize(
    ("text", "mark", "claim"),
    [
        ("Parsing is old. Subwords help translation [CITATION]. We agree.", 0, "Subwords help translation [CITATION]."),
        (
            "Subwords help rare word translation [1], whereas characters model open vocabularies better [2].",
            0,
            "Subwords help rare word translation [1]",
        ),
        (
            "Subwords help rare word translation [1], whereas characters model open vocabularies better [2].",
            1,
            "characters model open vocabularies better [2].",
        ),
        (
            "Rare words are split into subword units. [CITATION]",
            0,
            "Rare words are split into subword units. [CITATION]",
        ),
        ("Parsing is old. Subword units help with rare words", 0, "Subword units help with rare words"),
    ],
)
def test_the_claim_is_the_clause_around_the_mark(text: str, mark: int, claim: str) -> None:
    excerpt = read_excerpt(text, mark)
    assert text[excerpt.claim.start : excerpt.claim.end] == claim


def test_words_that_tell_of_another_mark_weigh_less() -> None:
    text = "We use BLEU [CITATION] and byte pair encoding [CITATION] for translation"
    first = {word.word: word.weight for word in read_excerpt(text, 0).words}
    second = {word.word: word.weight for word in read_excerpt(text, 1).words}
    assert first["bleu"] > 1.5 * first["byte"]
    assert second["encoding"] > 1.5 * second["bleu"]


def test_only_words_of_a_chosen_claim_count() -> None:
    text = "Parsing is old. Subword units help [CITATION]. Tagging is older."
    start = text.index("Subword")
    excerpt = read_excerpt(text, 0, Span(start, text.index(" Tagging")))
    assert {word.word for word in excerpt.words} == {"subword", "units", "help"}
    with pytest.raises(UsageError, match="characters"):
        read_excerpt(text, 0, Span(0, 1000))


@pytest.mark.parametrize(
    ("text", "families", "year"),
    [
        ("subwords (Sennrich and Haddow, 2016) help", ("Sennrich", "Haddow"), 2016),
        ("Sennrich et al. (2016) use subwords", ("Sennrich",), 2016),
        (r"subwords \citep{sennrich-etal-2016-neural} help", ("sennrich",), 2016),
        (r"subwords \cite{Sennrich2016} help", ("Sennrich",), 2016),
        ("Okada et al. [CITATION] built subwords", ("Okada",), None),
        ("[AUTHOR] and McKeown (H. [CITATION]) studied subwords", ("McKeown",), None),
        ("Okada et al. built subwords which are small units [CITATION]", (), None),
        ("subwords [12] help", (), None),
    ],
)
def test_what_the_mark_itself_states_is_kept(text: str, families: tuple[str, ...], year: int | None) -> None:
    stated = read_excerpt(text).stated
    assert (stated.families, stated.year) == (families, year)


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("Trees help parsing a lot. See [CITATION].", "Trees help parsing a lot. See"),
        ("Trees help parsing a lot. See also [CITATION].", "See also"),
    ],
)
def test_a_sentence_of_one_word_brings_the_one_before_and_one_of_two_does_not(text: str, claim: str) -> None:
    excerpt = read_excerpt(text, 0)
    assert text[excerpt.claim.start : excerpt.claim.end].startswith(claim)


@pytest.mark.parametrize(
    ("text", "few"), [("Zebras chase lions [CITATION].", True), ("Zebras chase swift lions [CITATION].", False)]
)
def test_fewer_than_four_words_are_very_few(text: str, few: bool) -> None:
    assert ("very few words" in read_excerpt(text).lint) is few


@pytest.mark.parametrize(
    "text", ["a conditional GAN [CITATION]", "We train a small variational VAE [CITATION].", "some deep CNN [CITATION]"]
)
def test_one_of_a_kind_is_not_the_name_of_a_work(text: str) -> None:
    assert read_excerpt(text).kind != "trivial"
    assert read_excerpt("We train the SciBERT model [CITATION].").kind == "trivial"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("so and so [CITATION1, CITATION2]", 2),
        ("so and so [CITATION; CITATION]", 2),
        ("so and so TARGETCIT", 1),
        ("so and so [CITATION1]", 1),
    ],
)
def test_numbered_and_several_masks_are_marks(text: str, count: int) -> None:
    excerpt = read_excerpt(text)
    assert (len(excerpt.marks), excerpt.chosen) == (count, 0)
    assert not any("citation" in word.word or "targetcit" in word.word for word in excerpt.words)
