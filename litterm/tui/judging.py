"""Evidence again, with a language model: the estimate first, then the answer in place of the offline one."""

from __future__ import annotations

from litterm.model.evidence import ModelUse
from litterm.model.llm import Estimate
from litterm.model.paper import PaperId
from litterm.render.asking import dollars
from litterm.tui.dialogs.egress import Consent, Egress
from litterm.tui.dialogs.tell import Tell
from litterm.tui.finding import Finding
from litterm.tui.stage import Stage

_USE = ModelUse()
_LONGEST_REQUEST = 4_000
"""Characters of one request that a dry run shows; `litterm evidence --dry-run` prints all."""


class Judging:
    """Asks the model about the hypothesis and the paper of the evidence pane."""

    def __init__(self, stage: Stage, finding: Finding) -> None:
        self._stage = stage
        self._finding = finding

    def open(self) -> None:
        """Reckon what asking would cost, and put that to the user."""
        asked = self._asked()
        if asked is None:
            self._stage.tell("Press e first: a model is asked about the hypothesis of a paper's evidence.")
            return
        paper_id, hypothesis = asked
        k, scope = self._finding.how_many, self._finding.scope
        asking = self._stage.engine.model_evidence
        self._stage.work.start(
            "estimate",
            "estimating",
            lambda: asking.estimate(paper_id, hypothesis, _USE, k=k, scope=scope),
            self._estimated,
        )

    def retry(self) -> bool:
        """Ask once more about the parts that failed; whether there are any."""
        earlier = self._finding.evidence
        if earlier is None or not earlier.failed or self._stage.focus not in ("reader", "evidence"):
            return False
        asking, k = self._stage.engine.model_evidence, self._finding.how_many
        self._finding.judge(lambda: asking.retry(earlier, _USE, k=k))
        return True

    def _asked(self) -> tuple[PaperId, str] | None:
        document, state = self._stage.reader.state.document, self._finding.state
        return (document.paper_id, state.hypothesis) if document and state.asked and state.hypothesis else None

    def _estimated(self, estimate: Estimate) -> None:
        model = self._stage.settings.model
        caps = [
            f"{dollars(amount)} a {what}"
            for amount, what in ((model.run_dollars, "run"), (model.day_dollars, "day"))
            if amount
        ]
        told = f"At most {' and '.join(caps)} where prices are known." if caps else "No cap on what it costs is set."
        leaves = "the hypothesis and the text of this paper, in parts"
        self._stage.open(Egress(estimate, leaves, told, self._stage.glyphs), self._answered)

    def _answered(self, consent: Consent) -> None:
        asked = self._asked()
        if asked is None:
            return
        paper_id, hypothesis = asked
        k, scope = self._finding.how_many, self._finding.scope
        asking = self._stage.engine.model_evidence
        if consent == "run":
            self._finding.judge(lambda: asking.find(paper_id, hypothesis, _USE, k=k, scope=scope))
            return
        self._stage.work.start(
            "estimate",
            "dry run",
            lambda: asking.preview(paper_id, hypothesis, _USE, k=k, scope=scope),
            self._rehearsed,
        )

    def _rehearsed(self, requests: tuple[str, ...]) -> None:
        first = requests[0] if requests else "Every reply is kept from earlier: nothing would be sent."
        shown = first if len(first) <= _LONGEST_REQUEST else first[:_LONGEST_REQUEST] + self._stage.glyphs.ellipsis
        told = f"{len(requests)} requests; nothing was sent. `litterm evidence --dry-run` prints them all. The first:"
        self._stage.open(Tell("dry run", (told, shown), self._stage.glyphs))
