"""`bench names`: cases of a file of names, and what it reads as another source."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from litterm.core.errors import BadInput
from litterm.library.citation_facts.shipped import open_facts
from litterm_benchmarks.search.names import NameCase, read_cases


def write(path: Path, *lines: str) -> Path:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("\n".join(lines))
    return path


def test_every_source_of_a_name_whose_paper_is_in_the_anthology_is_a_case(tmp_path: Path) -> None:
    name = {"name": "SNLI", "kind": "dataset", "ids": {"acl": "D15-1075"}}
    cases = read_cases(
        write(
            tmp_path / "names.jsonl.gz",
            json.dumps({**name, "sources": ["nf-core/modules", "citing sentences (3)"]}),
            json.dumps({**name, "ids": {"arxiv": "1508.05326"}, "sources": ["nf-core/modules"]}),
        )
    )
    sources = ("nf-core/modules", "citing sentences")
    assert cases == [NameCase("SNLI", "dataset", source, "acl:D15-1075") for source in sources]
    with pytest.raises(BadInput, match="not a name of a paper"):
        read_cases(write(tmp_path / "bad.jsonl.gz", "{}"))


def test_what_only_the_source_left_out_knows_is_unknown() -> None:
    facts = open_facts("bench")
    without = facts.without_source("huggingface/datasets@2.0.0")
    assert "Hugging Face data sets" not in {source for fact in without.all_names() for source in fact.sources}
    assert 0 < sum(1 for _ in without.all_names()) < sum(1 for _ in facts.all_names())
