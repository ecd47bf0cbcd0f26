"""The real aspects over scores of our own and a model made of a function."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from scripted_models import DryRunModel, ScriptedModel

from litterm.core.tasks import Task
from litterm.interfaces import PaperSearcher
from litterm.library.index.static_embeddings import open_static
from litterm.model.aspects import AspectCell, AspectScores
from litterm.model.events import Progress
from litterm.model.llm import ModelRequest
from litterm.model.paper import PaperId
from litterm.search.aspects.aspects import Aspects
from litterm.search.aspects.decompose import ModelSplitter
from litterm.search.aspects.grades import ModelGrader
from litterm.search.aspects.sentence_similarity import BuiltInSentences


@dataclass
class ScriptedGraders:
    """Scorer and grades of the aspects of one engine; keeps what was scored."""

    scored: list[tuple[str, int]] = field(default_factory=list)
    """Texts of aspects, each with how many papers."""
    model: ScriptedModel = field(default_factory=lambda: ScriptedModel(graded))
    kept_grades: dict[str, dict[str, AspectCell]] = field(default_factory=dict)

    def scores(self, texts: Sequence[str], papers: Sequence[PaperId]) -> Task[AspectScores]:
        """The longer the aspect and the later the id, the better."""
        yield Progress("scoring")
        self.scored += [(text, len(papers)) for text in texts]
        order = {each: at for at, each in enumerate(sorted(papers))}
        cells = {
            (text, each): AspectCell(round((at + 1) / len(papers) if len(text) % 2 else 1 - at / len(papers), 3))
            for text in texts
            for each, at in order.items()
        }
        return AspectScores(MappingProxyType(cells), "overlap")

    def load(self, column: str) -> Mapping[str, AspectCell]:
        return self.kept_grades.get(column, {})

    def store(self, column: str, key: str, cell: AspectCell) -> None:
        self.kept_grades.setdefault(column, {})[key] = cell

    def aspects(self, searcher: Callable[[], PaperSearcher]) -> Aspects:
        return Aspects(
            lambda: self,
            lambda: ModelSplitter(self.model),
            lambda: ModelGrader(self.model, self),
            lambda: ModelGrader(DryRunModel(graded), self),
            lambda: ModelSplitter(DryRunModel(graded)),
            searcher,
            lambda: BuiltInSentences(open_static()),
            lambda: BuiltInSentences(open_static()),
        )


def graded(request: ModelRequest) -> str:
    """Every requirement FULLY; a request to be split: two aspects."""
    text = request.messages[-1].text
    if "<<<request" in text:
        return json.dumps({"aspects": [{"aspect": "One thing.", "sub_aspects": []}, {"aspect": "Another thing."}]})
    count = len(re.findall(r"^\[\d+\]", text.split("<<<paper")[0], re.MULTILINE))
    each = [{"number": at, "reason": "It says so.", "sentence": 1, "grade": "FULLY"} for at in range(1, count + 1)]
    return json.dumps({"grades": each})
