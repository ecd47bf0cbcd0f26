"""Actions of the aspects strip on one aspect: mute, edit, add, merge, remove, explain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from litterm.model.aspects import Aspect, AspectQuery
from litterm.render.aspects import aspect_facts
from litterm.tui.aspects.controller import NO_ASPECTS, AspectsController
from litterm.tui.context import WorkbenchContext
from litterm.tui.dialogs.message import MessageDialog
from litterm.tui.dialogs.text import TextDialog
from litterm.tui.input.action_target import ActionTarget
from litterm.tui.input.command_line import Command
from litterm.tui.state import DecisionKey

_EDIT_HINT = "The first line is the aspect; *2 after it sets its weight. Each further line is a sub-aspect."


def toggle_aspects(aspects_controller: AspectsController) -> Command:
    """Runs `:aspects`: reads the query as aspects, or as one query."""
    return Command("aspects", "read the query as aspects, or as one again", lambda _: aspects_controller.toggle())


class AspectEditing(ActionTarget):
    """Carries out the keys of the aspects strip."""

    def __init__(self, context: WorkbenchContext, aspects_controller: AspectsController) -> None:
        self._context = context
        self._aspects_controller = aspects_controller

    @property
    def _aspects(self) -> list[Aspect]:
        return list(self._aspects_controller.state.query.aspects)

    def _set_aspects(self, aspects: Sequence[Aspect], *, by: str = "", reorder: bool = False) -> None:
        query = self._aspects_controller.state.query
        if tuple(aspects) != query.aspects:
            self._aspects_controller.set_query(AspectQuery(tuple(aspects), by or query.by), reorder=reorder)

    def action_mute(self) -> None:
        """Mute or unmute an aspect; the rows move at once."""
        aspects, index = self._aspects, self._context.aspects.cursor
        if index < len(aspects):
            aspects[index] = replace(aspects[index], muted=not aspects[index].muted)
            self._set_aspects(aspects, reorder=True)

    def action_unmute_all(self) -> None:
        """Unmute every aspect."""
        aspects = self._aspects
        if any(aspect.muted for aspect in aspects):
            self._set_aspects([replace(aspect, muted=False) for aspect in aspects], reorder=True)

    def action_edit(self) -> None:
        """Edit the text, weight and sub-aspects of the aspect."""
        index = self._context.aspects.cursor
        if index >= len(self._aspects):
            self._context.tell(NO_ASPECTS)
            return
        aspect, reader = self._aspects[index], self._context.engine.aspects

        def keep(text: str) -> None:
            first_line, *sub_lines = text.splitlines()
            # Read again: a model may have split the query while the dialog was open.
            aspects = self._aspects
            edited = replace(reader.read_one(first_line, sub_lines), muted=aspects[index].muted)
            # A weight moves the rows at once; another text has no scores yet to move them by.
            reorder = edited.weight != aspects[index].weight
            if not edited.text or edited.text in {
                other.text for position, other in enumerate(aspects) if position != index
            }:
                self._context.tell(
                    "There is already an aspect with that text." if edited.text else "The aspect is empty."
                )
                return
            aspects[index] = edited
            self._set_aspects(aspects, by="hand", reorder=reorder)

        shown = "\n".join((reader.format_aspect(aspect), *aspect.sub_aspects))
        self._context.open(TextDialog(f"aspect {index + 1}", shown, self._context.glyphs, about=_EDIT_HINT), keep)

    def action_add(self) -> None:
        """Add an aspect after the last one."""
        reader = self._context.engine.aspects

        def keep(text: str) -> None:
            first_line, *sub_lines = text.splitlines()
            new_aspect = reader.read_one(first_line, sub_lines or None)
            if new_aspect.text and new_aspect.text not in {aspect.text for aspect in self._aspects}:
                self._set_aspects([*self._aspects, new_aspect], by="hand")
                self._context.aspects.move_to(len(self._aspects) - 1)
            else:
                self._context.tell(
                    "There is already an aspect with that text." if new_aspect.text else "The aspect is empty."
                )

        dialog = TextDialog("add an aspect", "", self._context.glyphs, about=_EDIT_HINT)
        dialog.enter = "add"
        self._context.open(dialog, keep)

    def action_merge(self) -> None:
        """Merge this aspect with the next (the last one with the one before); both stay as sub-aspects."""
        aspects = self._aspects
        if len(aspects) < 2:
            self._context.tell("There is no other aspect to merge with.")
            return
        index = min(self._context.aspects.cursor, len(aspects) - 2)
        upper, lower = aspects[index], aspects[index + 1]
        subs = tuple(dict.fromkeys((*(upper.sub_aspects or (upper.text,)), *(lower.sub_aspects or (lower.text,)))))
        merged = Aspect(
            f"{upper.text}; {lower.text}", subs, max(upper.weight, lower.weight), upper.muted and lower.muted
        )
        self._set_aspects([*aspects[:index], merged, *aspects[index + 2 :]], by="hand")
        self._context.aspects.move_to(index)

    def action_decide(self, key: DecisionKey) -> None:
        """Remove the aspect (`x`), or unmute it (`a`)."""
        aspects, index = self._aspects, self._context.aspects.cursor
        if index >= len(aspects):
            self._context.tell(NO_ASPECTS)
        elif key == "accept":
            aspects[index] = replace(aspects[index], muted=False)
            self._set_aspects(aspects, reorder=True)
        elif len(aspects) == 1:
            self._aspects_controller.action_remove_all()
        else:
            self._set_aspects([*aspects[:index], *aspects[index + 1 :]], by="hand")

    def action_why(self) -> None:
        """Show everything about the aspect under the cursor."""
        aspect, state = self._context.aspects.current, self._aspects_controller.state
        if aspect is None:
            self._context.tell(NO_ASPECTS)
            return
        lines = [
            aspect.text,
            *(f"- {sub}" for sub in aspect.sub_aspects),
            *(f"{fact}." for fact in aspect_facts(aspect)),
        ]
        state_words = {
            "met": "met",
            "partly": "in part",
            "not": "not",
            "muted": "muted",
            "unread": "no clear grade",
        }
        lines.append(
            ", ".join(f"{self._context.glyphs.coverage_mark(state)} {name}" for state, name in state_words.items())
        )
        if state.scores.by:
            lines.append(f"Scores by {state.scores.by}: 100% is the paper of the library that fits it best.")
        if state.scores.graded_by:
            lines.append(f"Grades by {state.scores.graded_by}: 2 all of it, 1 some of it, 0 no help; {state.mark}.")
        self._context.open(MessageDialog("aspect", lines, self._context.glyphs))
