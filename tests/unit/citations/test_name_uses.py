"""The names that the user's own texts use for papers: read with their references, looked up, and gone with a text."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from graphs import citations, citing, stored, written
from libraries import store

from litterm.citations import citations as module
from litterm.citations import store as store_module
from litterm.citations.citations import Citations
from litterm.citations.name_uses import find_name_uses
from litterm.citations.store import CitationStore
from litterm.core.tasks import run
from litterm.library.citation_facts.names import NameTable, reason_of
from litterm.library.citation_facts.shipped import name_key, open_facts
from litterm.library.state.connection import STATE_FILE
from litterm.model.citations.graph import Citance, ReferenceListHead, ResolvedList
from litterm.model.document import Span
from litterm.model.library import Parsed
from litterm.model.paper import Author, Paper, PaperId

A, B = PaperId("acl:A"), PaperId("acl:B")


def names(graph: Citations, *keys: str) -> dict[str, list[tuple[str, str, int]]]:
    """What the texts say of `keys`."""
    with graph.store.read() as stored_lists:
        known = stored_lists.names_by_key(keys)
    return {key: [(fact.name, fact.ids[0], fact.texts) for fact in facts] for key, facts in known.items()}


def library(*sentences_of: Iterable[str]) -> list[Parsed]:
    """A and B, and a text that cites them as [1] and [2] for each of `sentences_of`."""
    texts = (
        citing(
            f"text{number}",
            [*sentences, f"Said by {number}."],
            "A",
            "B",
            title=f"Text {number} of a library",
            year=2012,
        )
        for number, sentences in enumerate(sentences_of)
    )
    return [written("A"), written("B"), *texts]


def test_a_name_of_two_texts_is_told_with_their_number(tmp_path: Path) -> None:
    texts = ["We align by GaleAlign [1]."], ["The GaleAlign model [1].", "GaleAlign [1] again."]
    graph = stored(tmp_path, library(*texts))
    run(graph.update())
    assert names(graph, "galealign") == {"galealign": [("GaleAlign", A, 2)]}
    with graph.store.read() as stored_lists:
        (fact,) = stored_lists.names_of([A])
        assert stored_lists.names_of([B]) == ()
    assert reason_of("GaleAlign", fact) == "the name GaleAlign is used for this paper in 2 of your texts"


def names_told(root: Path, *texts: tuple[str, Sequence[PaperId], str]) -> dict[str, list[tuple[str, str, int]]]:
    """What is told of the names that stand before a mark: each text a name, the papers of the mark, and an abstract."""
    graph_store, uses = CitationStore(root), []
    for number, (name, cited, abstract) in enumerate(texts):
        citing_paper = PaperId(f"acl:text{number}")
        head = ReferenceListHead(citing_paper, f"text{number}", 2012)
        text = f"By {name} [1]."
        mark = Span(text.index("["), text.index("]") + 1)
        sentences = [Citance(citing_paper, paper, text, mark, sentence=0) for paper in cited]
        papers = {paper: Paper(paper, "T", abstract, authors=(Author("Writer", "A."),)) for paper in cited}
        uses.append((head, find_name_uses(sentences, papers)))
    graph_store.put([(ResolvedList(head, True, (), frozenset()), ()) for head, _ in uses])
    graph_store.begin_names()
    graph_store.put_names(uses)
    with graph_store.read() as stored_lists:
        facts = stored_lists.names_by_key([name_key(name) for name, _, _ in texts])
    return {key: [(fact.name, fact.ids[0], fact.texts) for fact in known] for key, known in facts.items()}


@pytest.mark.parametrize(
    ("texts", "known"),
    [
        # One text is enough where the paper itself holds a coined name, which is written like no other word.
        ([("NeurAlign", [A], "")], {}),
        ([("NeurAlign", [A], "We present NeurAlign.")], {"neuralign": [("NeurAlign", A, 1)]}),
        ([("BLEU", [A], "We present BLEU.")], {}),
        ([("BLEU", [A], "")] * 2, {"bleu": [("BLEU", A, 2)]}),
        ([("HMM", [A], "")] * 2, {}),
        ([("BPE", [A], "Byte pair encoding (BPE).")] * 2, {"bpe": [("BPE", A, 2)]}),
        ([("Moses", [A], "")] * 2, {}),
        ([("Moses", [A], "")] * 3, {"moses": [("Moses", A, 3)]}),
        # Texts that disagree say nothing for certain.
        ([*[("BLEU", [A], "")] * 2, *[("BLEU", [B], "")] * 2], {}),
        ([*[("BLEU", [A], "")] * 4, *[("BLEU", [B], "")] * 2], {"bleu": [("BLEU", A, 4)]}),
        # A mark of two works, and the name of an author.
        ([("BLEU", [A, B], "")] * 2, {}),
        ([("Writer", [A], "")] * 4, {}),
    ],
)
def test_only_what_is_certain_is_told(
    tmp_path: Path, texts: list[tuple[str, list[PaperId], str]], known: dict[str, list[tuple[str, str, int]]]
) -> None:
    assert names_told(tmp_path, *texts) == known


def test_names_of_new_texts_are_added_and_those_of_a_text_go_with_it(tmp_path: Path) -> None:
    records = library(["By BLEU [1]."], ["By BLEU [1]."])
    run(stored(tmp_path, records[:3]).update())
    assert names(citations(tmp_path), "bleu") == {}
    store(tmp_path, records[3:])
    graph = citations(tmp_path)
    run(graph.update())
    assert names(graph, "bleu") == {"bleu": [("BLEU", A, 2)]}
    with graph.store.read() as stored_lists:
        (head,) = stored_lists.heads_of([records[2].paper.id])
    graph.store.drop([head])
    assert names(graph, "bleu") == {}


def test_a_library_of_an_earlier_version_and_an_earlier_rule_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = stored(tmp_path, library(["By BLEU [1]."], ["By BLEU [1]."]))
    run(graph.update())
    graph.store.close()
    with sqlite3.connect(tmp_path / STATE_FILE) as connection:
        for table in ("citation_name_use", "citation_name_list", "citation_name"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("DELETE FROM citation_state WHERE name = 'names'")
    connection.close()
    assert names(citations(tmp_path), "bleu") == {}
    run(citations(tmp_path).update())
    assert names(citations(tmp_path), "bleu") == {"bleu": [("BLEU", A, 2)]}

    monkeypatch.setattr(store_module, "NAMES_RULE", "another")
    monkeypatch.setattr("litterm.citations.name_uses.name_before_mark", lambda text, mark: "METEOR")
    run(citations(tmp_path).update())
    assert names(citations(tmp_path), "bleu", "meteor") == {"meteor": [("METEOR", A, 2)]}


def test_many_texts_are_left_to_the_background(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FOREGROUND_LISTS", 2)
    monkeypatch.setattr(module, "FIRST_LISTS", 1)
    records = library(["By BLEU [1]."], ["By BLEU [1]."], ["By BLEU [1]."])
    store(tmp_path, records)
    started: list[object] = []
    foreground = citations(tmp_path, background=lambda: started.append(None))
    run(foreground.update())
    assert started and names(foreground, "bleu") == {}
    run(citations(tmp_path).update())
    assert names(foreground, "bleu") == {"bleu": [("BLEU", A, 3)]}


def test_own_names_come_before_shipped_ones_and_both_are_told_where_they_differ(tmp_path: Path) -> None:
    sentences = ["We train on SNLI [1] and by GaleAlign [2]."]
    graph = stored(tmp_path, library(sentences, sentences))
    run(graph.update())

    def own(keys: Iterable[str]) -> dict[str, tuple[object, ...]]:
        with graph.store.read() as stored_lists:
            return dict(stored_lists.names_by_key(list(keys)))

    table = NameTable(open_facts, own)  # type: ignore[arg-type]
    (name,) = table.find("the SNLI corpus")
    assert [fact.ids[0] for fact in name.facts] == [A, "acl:D15-1075"]
    assert [found.text for found in table.find("SNLI by GaleAlign of words")] == ["SNLI", "GaleAlign"]
    at_end = table.at_end("aligned by GaleAlign (")
    assert at_end is not None and at_end.facts[0].ids == (B,)
    assert NameTable(open_facts).find("GaleAlign") == ()
