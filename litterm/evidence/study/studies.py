"""The study aspects of a hypothesis on a paper: kept, typed by hand, split offline or by a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from litterm.core.errors import ModelError, UsageError
from litterm.core.tasks import Task, collect_outgoing
from litterm.evidence.citing_sentences import propose_hypothesis
from litterm.evidence.llm.hypothesis_proposal import proposal_cost, propose_with_model
from litterm.evidence.llm.study import StudyModel
from litterm.evidence.study.alignment import align_offline, coverage_of, split_and_align
from litterm.evidence.study.split import distinct, reports_result
from litterm.evidence.study.storage import StudyAspectStore
from litterm.model.citing_sentence import CitationPlace, CitingSentence, ProposedHypothesis
from litterm.model.document import Document
from litterm.model.events import Progress
from litterm.model.evidence import Evidence
from litterm.model.llm import CostEstimate
from litterm.model.study_aspects import MAX_STUDY_ASPECTS, StudyAspect, StudyAspects, StudyCoverage
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.llm.model import ChatModel
    from litterm.model.paper import PaperId

BY_HAND = "hand"
"""`StudyAspects.by` of aspects that the user typed or changed."""


@dataclass(frozen=True, slots=True)
class Studies:
    """Operations on study aspects; safe from any thread. Only those that need a model ask one."""

    store: Callable[[], StudyAspectStore]
    build_model: Callable[[], ChatModel]
    """Starts a run of its own. Raises `UsageError` where no model is set, `ModelError` where it cannot be asked."""
    build_dry_run: Callable[[], ChatModel]
    """The same, that yields `OutgoingRequest` instead of sending."""

    def cover(self, document: Document, evidence: Evidence, aspects: StudyAspects | None = None) -> Task[StudyCoverage]:
        """Which sentences carry the study aspects of the hypothesis of `evidence`, and the fewest that carry all.

        The aspects are `aspects`, or else those that were kept, or else those found offline.
        """
        study = aspects or self.store().load(document.paper_id, evidence.hypothesis)
        if study is None:
            return (yield from split_and_align(document, evidence.hypothesis, evidence))
        return (yield from align_offline(document, study, evidence))

    def cover_with_model(
        self, document: Document, evidence: Evidence, aspects: StudyAspects | None = None
    ) -> Task[StudyCoverage]:
        """As `cover`, but a model splits the hypothesis and aligns the aspects; its aspects are kept.

        Where it fails the answer is the one without a model, with a notice.

        Raises:
            UsageError: no model is set.
        """
        study = aspects or self.store().load(document.paper_id, evidence.hypothesis)
        try:
            asking = StudyModel(self.build_model())
            if study is None:
                study = yield from asking.split(document, evidence.hypothesis)
                self.keep(document.paper_id, study)
            aligned, windows = yield from asking.align(document, study)
        except ModelError as error:
            coverage = yield from self.cover(document, evidence, study)
            return replace(coverage, notices=(f"The study aspects were aligned offline: {error}", *coverage.notices))
        if windows.unanswered:
            verb = "was" if windows.unanswered == 1 else "were"
            lost = f"{windows.unanswered} of {count_phrase(windows.asked, 'window')} of sentences"
            study = replace(
                study, notices=(*study.notices, f"{lost} {verb} not judged by {asking.name}: {windows.why}")
            )
        return coverage_of(document, study, aligned, evidence, by=asking.name)

    def estimate(self, document: Document, hypothesis: str, aspects: StudyAspects | None = None) -> Task[CostEstimate]:
        """What `cover_with_model` would cost at most; sends nothing.

        Raises:
            UsageError: no model is set.
            ModelError: it cannot be asked.
        """
        yield Progress("estimating")
        study = aspects or self.store().load(document.paper_id, hypothesis)
        return StudyModel(self.build_model()).estimate(document, hypothesis, study)

    def preview(
        self, document: Document, hypothesis: str, aspects: StudyAspects | None = None
    ) -> Task[tuple[str, ...]]:
        """The requests `cover_with_model` would send first, to the letter.

        Raises:
            UsageError: no model is set.
            ModelError: it cannot be asked.
        """
        study = aspects or self.store().load(document.paper_id, hypothesis)
        asking = StudyModel(self.build_dry_run())
        if study is None:
            return (yield from collect_outgoing(asking.split(document, hypothesis)))
        return (yield from collect_outgoing(asking.align(document, study)))

    def propose(
        self, document: Document, citing: CitingSentence, cited: CitationPlace, *, with_model: bool
    ) -> Task[ProposedHypothesis]:
        """The hypothesis that a cited paper is said to support; where the model fails, the citing sentence itself.

        Raises:
            UsageError: no model is set, or the sentence says too little, or too much, to be a hypothesis.
        """
        if not with_model:
            return propose_hypothesis(citing, cited)
        try:
            return (yield from propose_with_model(self.build_model(), document, citing, cited))
        except ModelError as error:
            offline = propose_hypothesis(citing, cited)
            return replace(offline, notices=(f"No model worded the hypothesis: {error}", *offline.notices))

    def estimate_proposal(self, document: Document, citing: CitingSentence, cited: CitationPlace) -> Task[CostEstimate]:
        """What `propose` with a model would cost at most; sends nothing.

        Raises:
            UsageError: no model is set.
            ModelError: it cannot be asked.
        """
        yield Progress("estimating")
        return proposal_cost(self.build_model(), document, citing, cited)

    def preview_proposal(
        self, document: Document, citing: CitingSentence, cited: CitationPlace
    ) -> Task[tuple[str, ...]]:
        """The request `propose` with a model would send first, to the letter.

        Raises:
            UsageError: no model is set.
            ModelError: the model cannot be asked.
        """
        asking = propose_with_model(self.build_dry_run(), document, citing, cited)
        return (yield from collect_outgoing(asking))

    def read(self, hypothesis: str, texts: Sequence[str]) -> StudyAspects:
        """Study aspects as a user writes them, one a text; whether each is a result is read from its wording.

        Raises:
            UsageError: there is none with a word to look for, or there are too many.
        """
        aspects = distinct(
            StudyAspect(text, reports_result(text), "hand") for text in (" ".join(typed.split()) for typed in texts)
        )
        if not aspects:
            raise UsageError("There is no study aspect with a word to look for.")
        if len(aspects) > MAX_STUDY_ASPECTS:
            raise UsageError(f"There are {len(aspects)} study aspects, and at most {MAX_STUDY_ASPECTS} are aligned.")
        return StudyAspects(hypothesis, tuple(aspects), BY_HAND)

    def keep(self, paper_id: PaperId, study: StudyAspects) -> bool:
        """Keeps the aspects for this paper, hypothesis and the current project; false in a library not written to.

        Raises:
            StateBusy: another process is writing.
            DiskFull: there is no room.
        """
        return self.store().save(paper_id, study)

    def forget(self, paper_id: PaperId, hypothesis: str) -> None:
        """Forgets what was kept, so that the aspects are split anew.

        Raises:
            StateBusy: another process is writing.
        """
        self.store().remove(paper_id, hypothesis)

    def edited(self, study: StudyAspects, place: int, text: str) -> StudyAspects:
        """`study` with the aspect at `place` worded anew, added where `place` is past the last, removed if it is empty.

        Raises:
            UsageError: it would be one aspect too many.
        """
        typed = " ".join(text.split())
        new = (StudyAspect(typed, reports_result(typed), "hand"),) if typed else ()
        aspects = (*study.aspects[:place], *new, *study.aspects[place + 1 :])
        if len(aspects) > MAX_STUDY_ASPECTS:
            raise UsageError(f"A hypothesis has at most {MAX_STUDY_ASPECTS} study aspects.")
        return StudyAspects(study.hypothesis, aspects, BY_HAND)
