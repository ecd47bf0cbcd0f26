"""What the semantic model has read of the papers that a bench asks about, so that no row hides it."""

from __future__ import annotations

from collections.abc import Sequence

from litterm.library.index.static_embeddings import open_static
from litterm_benchmarks.search.cases import QueryCase
from litterm_benchmarks.search.library_records import BenchLibrary


def overlap_note(cases: Sequence[QueryCase], holdings: BenchLibrary) -> str:
    """Of how many relevant papers, and of how much of the library, the model was trained on the abstract."""
    gold = sorted({row for case in cases for target in case.targets for row in holdings.rows(target)})
    model = open_static()
    titles = [title for title, _ in holdings.texts]
    of_gold = int(model.trained_on([titles[row] for row in gold]).sum())
    of_all = int(model.trained_on(titles).sum())
    return (
        f"the semantic model was trained on the abstracts of {of_gold:,} of the {len(gold):,} relevant papers"
        f" and of {of_all:,} of the {len(titles):,} in the library"
    )
