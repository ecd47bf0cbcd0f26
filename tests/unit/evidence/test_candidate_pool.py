"""Which sentences of a paper may be evidence."""

from __future__ import annotations

from litterm.core.tasks import run
from litterm.evidence.candidate_pool import build_candidate_pool
from litterm.model.paper import PaperId
from litterm.text.documents.builder import Block, build_document

CAPTION = Block("table", "", label="Table 1", caption="Scores of all parsers on the test set.", cells=(("a", "1"),))


def kinds(*blocks: Block) -> set[str]:
    document = build_document(PaperId("local:1"), blocks, origin="jats", parser="t")
    return {sentence.kind for sentence in run(build_candidate_pool(document)).sentences}


def test_captions_are_candidates_only_where_there_is_no_running_text() -> None:
    title = Block("title", "A study of parsers")
    assert kinds(title, Block("body", sentences=("Parsers with trees win by far.",)), CAPTION) == {"body"}
    assert kinds(title, Block("body", sentences=("They win.",)), CAPTION) == {"body"}
    assert kinds(title, CAPTION) == {"table"}
    assert kinds(title) == {"title"}
