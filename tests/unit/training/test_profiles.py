"""Counting stems near marks: which may be passed on, and what is left without a text."""

from __future__ import annotations

from litterm.library.citation_facts.shipped import ProfileArrays
from litterm_training.facts import profiles_of
from litterm_training.profiles import StemCounts, open_texts, text_of

LICENCES = {"a/open": {"licence": "CC BY 4.0"}, "a/closed": {"licence": "none stated"}, "b": {"licence": "MIT"}}
OWLS = "acl:P15-1001"


def counted(*contexts: tuple[str, str], without: str = "", may_pass: frozenset[str] = frozenset()) -> ProfileArrays:
    counts = StemCounts([(OWLS, sentence, text) for sentence, text in contexts], may_pass)
    return counts.profiles(without=without)


def test_a_text_counts_once_however_often_it_cites() -> None:
    assert profiles_of(counted(("Owls [CITATION].", "a"), ("Owls [CITATION].", "a"))) == {}
    assert profiles_of(counted(("Owls [CITATION].", "a"), ("The owls [CITATION].", "b"))) == {OWLS: (2, {"owl": 2})}


def test_what_one_text_alone_says_is_kept_by_its_licence() -> None:
    open_one = frozenset({"a"})
    assert profiles_of(counted(("Owls [CITATION] fly.", "a"), may_pass=open_one)) == {OWLS: (1, {"fli": 1, "owl": 1})}
    both = (("Owls [CITATION].", "a"), ("Owls [CITATION] sleep.", "c"))
    assert profiles_of(counted(*both, may_pass=open_one)) == {OWLS: (2, {"owl": 2})}


def test_a_text_that_is_left_out_leaves_nothing() -> None:
    both = (("Owls [CITATION] fly.", "a"), ("Owls [CITATION].", "b"))
    assert profiles_of(counted(*both, without="a", may_pass=frozenset("ab"))) == {OWLS: (1, {"owl": 1})}
    assert profiles_of(counted(*both, without="a")) == {}
    # What was left out before is back.
    counts = StemCounts([(OWLS, sentence, text) for sentence, text in both])
    assert profiles_of(counts.profiles(without="a")) == {}
    assert profiles_of(counts.profiles()) == {OWLS: (2, {"owl": 2})}
    assert set(counts.texts) == {"a", "b"}


def test_two_collections_may_hold_one_text() -> None:
    assert text_of("a/open:P10-1001") == text_of("a/closed:P10-1001") == "acl:P10-1001"
    assert text_of("b/thesis") == "b/thesis"
    sources = ["a/open:P10-1001", "a/closed:P10-1001", "a/open:P10-1002", "b/2020", "c"]
    assert open_texts(sources, LICENCES) == {"acl:P10-1002", "b/2020"}
