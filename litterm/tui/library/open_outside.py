"""`V`: the PDF of a paper in a viewer, at the page of the sentence under the cursor, or else its page on the web."""

from __future__ import annotations

from litterm.tui.annotations.controller import AnnotationController
from litterm.tui.context import WorkbenchContext
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.jobs.network_consent import NetworkConsent
from litterm.tui.platform.open_external import ExternalPlace, find_external_place, open_task
from litterm.tui.reader.controller import ReaderController

_BROWSER = "your browser"


class OutsideController(ActionTarget):
    """Opens papers in other programs; asks before one of them goes online."""

    def __init__(
        self,
        context: WorkbenchContext,
        reader: ReaderController,
        annotations: AnnotationController,
        consent: NetworkConsent,
    ) -> None:
        self._context = context
        self._reader = reader
        self._annotations = annotations
        self._consent = consent

    def action_open(self) -> None:
        """Open the paper under the cursor, or the open one at the page of its current sentence."""
        papers, document = self._annotations.papers(), self._reader.document
        if not papers:
            self._context.tell("No paper here.")
            return
        indexes = self._annotations.sentences()
        page = document.sentences[indexes[0]].page if document and indexes else None
        place = find_external_place(papers[0], page)
        if place.notice:
            self._context.tell(place.notice, warn=True)
        if place.address:
            self._open(place)
        elif not place.notice:
            self._context.tell("This paper has no local PDF and no web address.")

    def _open(self, place: ExternalPlace) -> None:
        if place.host and self._context.settings.offline:
            self._context.tell(f"Offline by choice: its page on the web is not opened. It is {place.address}")
            return
        sent = f"asks {place.host} for {place.address}"
        if not place.host or self._consent.request(_BROWSER, sent, retry=lambda: self._open(place)):
            self._context.work.start("outside", "opening outside", lambda: open_task(place), self._context.tell)
