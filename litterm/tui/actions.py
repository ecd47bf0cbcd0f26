"""What the keys of the workbench do: each action names a collaborator and a verb."""

from __future__ import annotations

from typing import TYPE_CHECKING

from litterm.tui.state import PaneName

if TYPE_CHECKING:
    from litterm.tui.controllers import Controllers


class Actions:
    """Mixed into the screen, so that Textual finds them; holds no state."""

    @property
    def crew(self) -> Controllers:
        """Those who do it."""
        raise NotImplementedError

    def action_go(self, name: PaneName) -> None:
        self.crew.arranging.go(name)

    def action_home(self) -> None:
        self.crew.homing.toggle()

    def action_watch(self) -> None:
        self.crew.watches.add()

    def action_project(self) -> None:
        self.crew.switching.open()

    def action_step_pane(self, step: int) -> None:
        if self.crew.homing.here:
            self.crew.homing.step(step)
        else:
            self.crew.arranging.step(step)

    def action_hide(self) -> None:
        if self.crew.aspecting.here:
            self.crew.aspecting.dissolve()
        elif self.crew.homing.here:
            self.crew.homing.leave()
        else:
            self.crew.arranging.hide()

    def action_zoom(self) -> None:
        self.crew.arranging.zoom()

    def action_resize(self, step: int) -> None:
        self.crew.arranging.resize(step)

    def action_back(self) -> None:
        if self.crew.comparing.here:
            self.crew.comparing.back()
        elif self.crew.homing.here:
            self.crew.homing.leave()
        else:
            self.crew.stepping.back()

    def action_command_line(self) -> None:
        self.crew.commanding.open(":")

    def action_help(self) -> None:
        self.crew.commanding.help()

    def action_menu(self) -> None:
        self.crew.commanding.menu()

    def action_options(self) -> None:
        self.crew.options.open()

    def action_find(self) -> None:
        self.crew.looking.open()

    def action_walk(self, step: int) -> None:
        if self.crew.comparing.here:
            self.crew.comparing.walk(step)
        elif not self.crew.looking.again(step):
            self.crew.finding.walk(step)

    def action_paper(self, step: int) -> None:
        if self.crew.comparing.here:
            self.crew.comparing.neighbour(step)
        else:
            self.crew.reading.neighbour(step)

    def action_history(self, step: int) -> None:
        self.crew.reading.back(step)

    def action_why(self) -> None:
        if self.crew.comparing.here:
            self.crew.comparing.why()
        elif self.crew.aspecting.here:
            self.crew.editing.why()
        elif self.crew.homing.here:
            self.crew.homing.why()
        else:
            self.crew.telling.why()

    def action_evidence(self) -> None:
        if self.crew.comparing.here:
            self.crew.comparing.enter()
        else:
            self.crew.stepping.evidence()

    def action_unpin(self) -> None:
        self.crew.finding.unpin()

    def action_model(self) -> None:
        if self.crew.comparing.here:
            self.crew.polling.open()
        elif self.crew.aspecting.here:
            self.crew.grading.open()
        elif self.crew.reranking.here:
            self.crew.reranking.open()
        else:
            self.crew.judging.open()

    def action_matrix(self) -> None:
        self.crew.surveying.open()

    def action_cite(self) -> None:
        self.crew.citing.open_selected()

    def action_draft(self) -> None:
        self.crew.drafting.open()

    def action_reading_list(self) -> None:
        self.crew.reading_lists.open()

    def action_full_text(self) -> None:
        self.crew.fetching.one()

    def action_full_texts(self) -> None:
        self.crew.fetching.several()

    def action_references(self) -> None:
        self.crew.linking.open("references")

    def action_cited_by(self) -> None:
        self.crew.linking.open("citations")

    def action_decide(self, verdict: str) -> None:
        if self.crew.comparing.here:
            self.crew.comparing.decide(accept=verdict == "accept")
        elif self.crew.aspecting.here:
            self.crew.editing.decide(accept=verdict == "accept")
        elif self.crew.homing.here:
            self.crew.homing.decide(accept=verdict == "accept")
        else:
            self.crew.deciding.decide(accept=verdict == "accept")

    def action_undo(self) -> None:
        if self.crew.aspecting.here:
            self.crew.aspecting.undo()
        elif not self.crew.refining.unhide():
            self.crew.deciding.undo()
            self.crew.comparing.refresh()
            self.crew.removing.refresh()
            self.crew.switching.refresh()

    def action_redo(self) -> None:
        if self.crew.aspecting.here:
            self.crew.aspecting.redo()
        else:
            self.crew.deciding.redo()
            self.crew.comparing.refresh()
            self.crew.removing.refresh()
            self.crew.switching.refresh()

    def action_star(self) -> None:
        self.crew.noting.star()

    def action_tags(self) -> None:
        self.crew.noting.tags()

    def action_note(self) -> None:
        self.crew.noting.note()

    def action_read_status(self) -> None:
        self.crew.noting.read_status()

    def action_copy(self) -> None:
        if self.crew.comparing.here:
            self.crew.comparing.copy()
        else:
            self.crew.copying.copy()

    def action_copy_all(self) -> None:
        self.crew.copying.copy_all()

    def action_write(self) -> None:
        if self.crew.comparing.here:
            self.crew.comparing.write()
        else:
            self.crew.copying.write()

    def action_preview(self) -> None:
        self.crew.previewing.toggle()

    def action_open_outside(self) -> None:
        self.crew.copying.open_outside()

    def action_jobs(self) -> None:
        self.crew.background.open()

    def action_retry(self) -> None:
        if self.crew.comparing.here:
            self.crew.matrixing.retry()
        elif self.crew.aspecting.here:
            self.crew.grading.retry()
        elif self.crew.homing.here:
            self.crew.homing.again()
        elif not self.crew.judging.retry():
            self.crew.adding.retry()

    def action_cancel(self) -> None:
        self.crew.stepping.cancel()
