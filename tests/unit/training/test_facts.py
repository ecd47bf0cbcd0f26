"""Making the file of citation facts: rows of one paper joined, topics left out, sentences counted and not kept."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from pathlib import Path

from litterm.library.citation_facts.shipped import open_facts
from litterm_training.facts import main

PAPER = {"title": "A Corpus of Owls", "year": 2015, "first_author": "Strix", "ids": {"acl": "P15-1001"}}


def write_rows(path: Path, *rows: object) -> None:
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def context(text: str, source: str) -> dict[str, object]:
    return {"text": text, "target": {"id": "acl:P15-1001"}, "source": source}


def folder(path: Path) -> Path:
    network = "ACL Anthology Network, citations inside the Anthology"
    files = {
        "names": (
            {"name": "owlset", "kind": "dataset", "sources": ["huggingface/datasets@2.0.0"], **PAPER},
            {"name": "OwlSet", "kind": "cited name", "sources": ["citing sentences (3)"], **PAPER},
            {"name": "bird song", "kind": "term", "sources": ["citing sentences (3)"], **PAPER},
            {"name": "NESTS", "kind": "dataset", "sources": ["nf-core/modules"], "rivals": 1, **PAPER},
        ),
        "names-extra": ({"name": "Barn", "kind": "tool", "sources": ["nf-core/modules"], **PAPER},),
        "edges": ({"from": "acl:P16-1001", "to": "acl:P15-1001"},),
        "edges-extra": ({"from": "acl:P11-1001", "to": "acl:P10-1001"},),
        "counts": (
            {"id": "acl:P09-1001", "count": 4, "as_of": 2012, "sources": [network]},
            {
                "id": "acl:P15-1001",
                "count": 900,
                "as_of": 2025,
                "sources": ["papercopilot/paperlists (Google Scholar)"],
            },
        ),
        "contexts": (context("Owls hoot [CITATION].", "a/x"), context("An owl sleeps [CITATION].", "b/y")),
        "profiles-extra": ({"id": "acl:P10-1001", "stems": {"the": 3, "owl-bas": 2}, "texts": 3},),
    }
    for name, rows in files.items():
        write_rows(path / f"{name}.jsonl.gz", *rows)
    (path / "sources.json").write_text(json.dumps({"nf-core/modules": {"commit": "c", "licence": "MIT"}}), "utf-8")
    return path


def anthology(path: Path) -> Path:
    text = "".join(
        f"<title>On nests of birds {number}</title><abstract>A bird song.</abstract>" for number in range(50)
    )
    with tarfile.open(path, "w:gz") as archive:
        entry = tarfile.TarInfo("xml/P10.xml")
        entry.size = len(text)
        archive.addfile(entry, io.BytesIO(text.encode()))
    return path


def test_the_file_holds_facts_of_both_builds(tmp_path: Path) -> None:
    out = tmp_path / "facts.pack"
    main([str(folder(tmp_path)), str(anthology(tmp_path / "xml.tar.gz")), "--out", str(out)])
    full, bench = open_facts("full", out), open_facts("bench", out)
    (owls,) = bench.names("owlset")
    assert (owls.name, owls.kind, owls.ids) == ("OwlSet", "dataset", ("acl:P15-1001",))
    assert owls.sources == ("citing sentences (3)", "Hugging Face data sets")
    assert not full.names("bird song")
    (nests,) = full.names("nests")
    assert (nests.usage, nests.rivals) == ("topic", 1)
    assert full.names("barn") and not bench.names("barn")
    assert full.citations("acl:P15-1001") == bench.citations("acl:P15-1001") == ("acl:P16-1001",)
    assert full.citations("acl:P10-1001") == ("acl:P11-1001",) and not bench.citations("acl:P10-1001")
    # Scholar's counts are not shipped; of what is held back, the edges of the Network's years are counted.
    assert bench.count("acl:P09-1001") is not None and full.count("acl:P15-1001") is None
    assert full.count("acl:P10-1001") is not None and bench.count("acl:P10-1001") is None
    near = bench.profile("acl:P15-1001")
    assert near is not None and (near.texts, near.stems) == (2, {"owl": 2})
    extra = full.profile("acl:P10-1001")
    assert extra is not None and extra.stems == {"owl": 2, "bas": 2} and bench.profile("acl:P10-1001") is None
    assert {source.key: source.licence for source in full.sources}["nf-core/modules"] == "MIT"
