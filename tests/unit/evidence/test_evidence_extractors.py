"""What every extractor without a model promises."""

from __future__ import annotations

import pytest
from fakes_evidence import HYPOTHESIS, paper

from litterm.core.errors import UsageError
from litterm.core.tasks import run
from litterm.evidence.learned import open_extractor
from litterm.evidence.lexical import LexicalExtractor
from litterm.interfaces import EvidenceExtractor

both = pytest.mark.parametrize("extractor", [LexicalExtractor(), open_extractor()], ids=["h1", "linear"])


@both
def test_two_runs_give_the_same_answer(extractor: EvidenceExtractor) -> None:
    one, other = (run(extractor.extract(paper(), HYPOTHESIS, k=9, scope="all")) for _ in range(2))
    assert one == other


@both
@pytest.mark.parametrize("typed", ["", "  \n ", "?!", "it is what they would use", "…"])
def test_a_hypothesis_without_content_is_a_usage_error(extractor: EvidenceExtractor, typed: str) -> None:
    with pytest.raises(UsageError, match="hypothesis"):
        run(extractor.extract(paper(), typed, k=10, scope="all"))


@both
def test_no_sentences_asked_for_is_a_usage_error(extractor: EvidenceExtractor) -> None:
    with pytest.raises(UsageError, match="at least one"):
        run(extractor.extract(paper(), HYPOTHESIS, k=0, scope="all"))
