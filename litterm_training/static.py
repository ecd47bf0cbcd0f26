"""`python -m litterm_training.static DATA`: the semantic model, from the records and full texts in the folder DATA.

Needs torch (the extra `train`); takes half an hour on one core. The same data, machine and torch give
the same file. DATA holds the ACL Anthology's XML, ICLR's records and biomedical abstracts. No paper that a bench in its
folder `bench` asks about is trained on: the record beside the model says how many were left out for which bench.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from litterm.library.index.static_embeddings import MODEL_FILE, MODEL_RECORD, open_model, write_model
from litterm.library.index.vectors import directions
from litterm_training.benchmark_texts import papers_apart, read_bench_texts
from litterm_training.static_corpus import Corpus, Floats, Ints, Recipe, make_corpus
from litterm_training.static_texts import Banned, Text, as_text, citing_pairs, kindred_pairs, read_papers

RECORDS = (
    "acl-anthology-xml.tar.gz",
    "iclr.jsonl.gz",
    "acl-recent.jsonl.gz",
    "biomedical-text/abstracts.jsonl.gz",
)
FULL_TEXTS = "fulltext-acl/fulltext-acl.jsonl.gz"
BENCHES = "bench"
QUESTIONS = "bench/citance-attr/citances.jsonl"

DIMS = 256
MEMBERS = (Recipe(seed=1, shares=(0.1, 0.0)), Recipe(seed=2, shares=(0.1, 0.1)))
"""Tables trained one by one and joined: their errors differ, what they agree on stays. Shares are those of citing
sentences and of papers by the same people."""

_WITHHELD_ONE_IN = 50
"""Of so many papers one is kept out of training, to be found by its title among all of these."""
_TURNED_BY = 20_000
"""Papers whose vectors decide which way the dimensions are turned."""

LICENCE = (
    "Vectors learned from titles, abstracts and keywords of the ACL Anthology (CC BY-NC-SA 3.0 before 2016, CC BY 4.0"
    " from 2016), of OpenReview as listed in public repositories (authors' texts; no licence stated there), of MEDLINE"
    " abstracts in OHSUMED (CC BY-NC 4.0 as distributed) and in screening sets of systematic reviews (no licence"
    " stated), of SYNERGY (CC0 1.0, OpenAlex), of PMC articles of Evidence Inference (each under its own open licence)"
    " and of Medical Abstracts TC (CC BY-SA 3.0), and from citing sentences of ScisummNet's ACL papers. None of their"
    " text is in the file: it holds word stems that occur in at least three papers, each with 256 numbers, and hashes"
    " of titles, by which a bench tells what the model has read."
)


@dataclass(frozen=True, slots=True)
class Material:
    """What there is to learn from, and what is kept back to ask about."""

    corpus: Corpus
    withheld: tuple[Text, ...]
    titles: tuple[str, ...]
    """Of the papers whose abstracts are trained on."""
    facts: Mapping[str, object]


def gather(data: Path, *, citing: bool = True) -> Material:
    """Reads the folder; without `citing` no sentence of a full text is used."""
    papers, _ = read_papers(data / name for name in RECORDS)
    _, documents = read_papers([data / FULL_TEXTS] if citing else [])
    texts = [as_text(paper) for paper in papers]
    banned = read_banned((data / QUESTIONS).read_text("utf-8").splitlines())
    cited = list(citing_pairs(documents, papers, banned))
    kindred = list(kindred_pairs(papers, texts))
    benches = read_bench_texts(data / BENCHES)
    bench_indices, by_bench = papers_apart(
        [(paper.id, paper.title) for paper in papers], [text.sentences for text in texts], benches
    )
    withheld_places = [index for index, text in enumerate(texts) if withheld(text) and index not in bench_indices]
    withheld_indices = bench_indices.union(withheld_places)
    trained = [Text(()) if index in withheld_indices else text for index, text in enumerate(texts)]
    facts = {
        "papers": len(texts),
        "with_abstract": sum(bool(text.sentences) for text in texts),
        "citing_sentences": len(cited),
        "papers_cited": len({pair.paper for pair in cited}),
        "pairs_by_the_same_people": len(kindred),
        "full_texts_banned": sum(document.paper_id in banned.papers for document in documents),
        "withheld": len(withheld_places),
        "left_out_for_a_bench": by_bench,
    }
    groups = [[pair for pair in group if pair.paper not in withheld_indices] for group in (cited, kindred)]
    titles = tuple(
        paper.title for index, paper in enumerate(papers) if paper.abstract and index not in withheld_indices
    )
    return Material(make_corpus(trained, groups), tuple(texts[index] for index in withheld_places), titles, facts)


def read_banned(lines: Iterable[str]) -> Banned:
    """The questions of the citation benchmark, one JSON object a line."""
    rows = [json.loads(line) for line in lines]
    return Banned((f"acl:{row['citing_id']}" for row in rows), (str(row["excerpt"]) for row in rows))


def withheld(text: Text) -> bool:
    """Whether a paper is kept out of training: settled by its title, so that it is the same everywhere."""
    return bool(text.sentences) and zlib.crc32(" ".join(text.title).encode()) % _WITHHELD_ONE_IN == 0


def join_tables(tables: Sequence[Floats]) -> Floats:
    """Tables side by side, each of the same weight: cosines become their mean, nearly."""
    return np.concatenate([table / np.sqrt(np.mean(np.sum(table**2, axis=1))) for table in tables], axis=1)


def rotate_table(table: Floats, corpus: Corpus, dims: int) -> Floats:
    """`table` turned so that its first dimensions tell most of the papers apart, and cut to `dims`.

    In double precision, so that the order in which the threads of numpy add up leaves no trace in the file.
    """
    exact = table.astype(np.float64)
    step = max(1, len(corpus.usable) // _TURNED_BY)
    runs = [corpus.flat[corpus.edges[index][0] : corpus.edges[index][-2]] for index in corpus.usable[::step].tolist()]
    papers = _directions(runs, exact).astype(np.float64)
    values, axes = np.linalg.eigh(papers.T @ papers)
    best = axes[:, np.argsort(-values, kind="stable")[:dims]]
    # An axis may point either way: the larger half of it is made positive.
    best *= np.where(best[np.abs(best).argmax(axis=0), np.arange(best.shape[1])] < 0, -1, 1)
    cut: Floats = (exact @ best).astype(np.float32)
    return cut


def titles_finding_abstracts(questions: Sequence[Text], stems: Sequence[str], table: Floats) -> dict[str, float]:
    """Share in percent of the papers `questions` whose abstract is nearest to their title, or among the ten nearest."""
    number = {stem: index for index, stem in enumerate(stems)}

    def places(runs: Iterable[Sequence[str]]) -> Ints:
        return np.array([number[stem] for run in runs for stem in run if stem in number], np.int64)

    titles = _directions([places([text.title]) for text in questions], table)
    abstracts = _directions([places(text.sentences) for text in questions], table)
    cosines = titles @ abstracts.T
    before = (cosines > np.diag(cosines)[:, None]).sum(axis=1)
    return {f"r@{k}": round(100 * float(np.mean(before < k)), 1) for k in (1, 10)}


def main(argv: list[str] | None = None) -> None:
    """Reads, trains, writes the model and its record."""
    parser = argparse.ArgumentParser(prog="python -m litterm_training.static", description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=MODEL_FILE, help="the record goes beside it, as .json")
    parser.add_argument("--without-citing", action="store_true", help="use no sentence of any full text")
    parser.add_argument("--epochs", type=int, default=MEMBERS[0].epochs)
    typed = parser.parse_args(argv)
    # Only here: everything else of training can be tested without torch.
    from litterm_training.static_optimizer import fit

    material = gather(typed.data, citing=not typed.without_citing)
    recipes = [replace(member, epochs=typed.epochs) for member in MEMBERS]
    tables = [fit(material.corpus, recipe, _say) for recipe in recipes]
    table = rotate_table(join_tables(tables), material.corpus, DIMS)
    write_model(typed.out, material.corpus.stems, table, material.titles)
    names = [*RECORDS, *([] if typed.without_citing else [FULL_TEXTS])]
    body = record(typed.out, material, recipes, [typed.data / name for name in names])
    typed.out.with_suffix(MODEL_RECORD.suffix).write_text(json.dumps(body, indent=2) + "\n", encoding="utf-8")


def record(file: Path, material: Material, recipes: Sequence[Recipe], data: Sequence[Path]) -> dict[str, object]:
    """What the model in `file` was made from, how, and how well it finds what it has not seen."""
    import torch

    digest = _sha256(file)
    table = open_model(file, digest).vectors(np.arange(len(material.corpus.stems)))
    return {
        "name": f"static-{digest[:12]}",
        "sha256": digest,
        "by": "python -m litterm_training.static",
        "torch": torch.__version__,
        "numpy": np.__version__,
        "data": [{"name": path.name, "sha256": _sha256(path)} for path in data],
        "learned_from": material.corpus.digest,
        "facts": dict(material.facts),
        "stems": len(material.corpus.stems),
        "dims": DIMS,
        "tables": [asdict(recipe) for recipe in recipes],
        "scores": titles_finding_abstracts(material.withheld, material.corpus.stems, table),
        "scores_of": "papers never trained on: abstract found by title among theirs, percent",
        "licence": LICENCE,
    }


def _directions(runs: Sequence[Ints], table: npt.NDArray[np.floating]) -> Floats:
    lengths = np.fromiter(map(len, runs), np.int64, len(runs))
    return directions(np.concatenate([*runs, np.empty(0, np.int64)]), lengths, table)


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _say(epoch: int, loss: float) -> None:
    sys.stderr.write(f"epoch {epoch + 1}: loss {loss:.3f}\n")


if __name__ == "__main__":
    main()
