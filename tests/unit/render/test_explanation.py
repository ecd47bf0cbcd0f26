from __future__ import annotations

from litterm.model.paper import Paper, PaperId
from litterm.model.search import Prior, RankedPaper, RetrieverShare, ScoreExplanation, WordSources
from litterm.render.explanation import interpretation, rank_reasons, rank_reasons_data, word_sources, word_sources_data

PAPER = Paper(PaperId("acl:1"), "Trees")
RANKED = RankedPaper(
    1,
    PAPER,
    3.2,
    "hybrid",
    why=ScoreExplanation(
        (RetrieverShare("words", 2, 9.5, 1.0), RetrieverShare("meaning", 0, 0.1, 2.4)), (Prior("near 2016", -0.2),)
    ),
)


def test_what_counts_most_is_said_first() -> None:
    assert rank_reasons(RANKED) == (
        "Not among the best by similarity in meaning: +2.4 points.",
        "Number 2 by the words of title and abstract: +1.0 points.",
        "Near 2016: -0.2 points.",
        "Together 3.2 points; comparable only within one list.",
    )


def test_the_same_as_data() -> None:
    assert rank_reasons_data(RANKED) == {
        "parts": [
            {"name": "words", "rank": 2, "score": 9.5, "points": 1.0},
            {"name": "meaning", "rank": 0, "score": 0.1, "points": 2.4},
        ],
        "priors": [{"name": "near 2016", "points": -0.2}],
    }


def test_a_place_by_date_needs_no_reasons() -> None:
    ranked = RankedPaper(1, PAPER, None, "newest")
    assert rank_reasons(ranked) == ()
    assert rank_reasons_data(ranked) is None


def test_how_a_query_was_read() -> None:
    assert interpretation("question", 5) == "Interpreted as a question; the answer is most likely among the first 5."
    assert interpretation("long", 20) == "Interpreted as a long description."


def test_what_tells_the_meaning_of_each_word() -> None:
    sources = WordSources(("drug",), ("zorvaqib", "mirtolan"), ())
    assert word_sources(sources) == (
        "Meaning known to the built-in model: drug.",
        "Meaning learned from the papers of this library: zorvaqib, mirtolan.",
    )
    assert word_sources(WordSources(unknown=("xq",))) == ("Meaning not known, matched as written: xq.",)
    assert word_sources_data(sources) == {"model": ["drug"], "library": ["zorvaqib", "mirtolan"], "unknown": []}
    assert word_sources_data(None) is None


def test_of_a_pasted_text_the_first_words_are_said() -> None:
    (told,) = word_sources(WordSources(model=tuple(f"w{at}" for at in range(20))))
    assert told.endswith("w10, w11 and 8 more.")
