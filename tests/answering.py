"""A library of a few papers on basil and blood glucose, and one on something else, to put questions to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import libraries
from fakes_model_server import MODEL, Received, Script, says_json

from litterm.core.settings import from_home
from litterm.engine import Engine
from litterm.engine.parts import Parts
from litterm.model.document import Document
from litterm.model.library import Parsed
from litterm.model.paper import Author, Paper, PaperId
from litterm.text.documents.builder import Block, build_document

QUESTION = "Does holy basil lower fasting blood glucose in adults with type 2 diabetes?"
LOWERED = "Holy basil significantly lowered fasting blood glucose in adults with type 2 diabetes compared with placebo."
RESTATED = "Holy basil lowered fasting blood glucose significantly in adults with type 2 diabetes."
NO_EFFECT = "Holy basil had no effect on fasting blood glucose in adults with type 2 diabetes."
BODY = "In the treated group fasting blood glucose of the adults fell by 21 mg/dL after twelve weeks of holy basil."


def _paper(key: str, title: str, abstract: str, year: int, *, full_text: bool = False, retraction: str = "") -> Paper:
    return Paper(
        PaperId(f"pmc:{key}"),
        title,
        abstract,
        authors=(Author(f"Rao{key[-1]}", "Asha"),),
        year=year,
        venue="Trials",
        full_text=full_text,
        retraction=retraction,
    )


TRIAL = _paper(
    "PMC1",
    "Holy basil in adults with type 2 diabetes: a trial",
    f"Blood glucose is hard to control. We gave 60 adults leaves or placebo for twelve weeks. {LOWERED} More trials "
    "are needed.",
    2018,
    full_text=True,
)
SECOND = _paper(
    "PMC2",
    "A second trial of holy basil leaves for type 2 diabetes",
    f"Leaves of holy basil are sold everywhere. The trial had 40 adults in two groups. {RESTATED} No harm was seen.",
    2020,
)
NULL = _paper(
    "PMC3",
    "Leaves of holy basil and glucose: a null result in type 2 diabetes",
    f"We repeated an earlier trial with more people. Adults took capsules for a year. {NO_EFFECT} Weight did not "
    "change.",
    2021,
    retraction="retracted",
)
OTHER = _paper(
    "PMC4",
    "Bridges of steel in cold climates",
    "Steel becomes brittle at low temperature. We tested forty beams in a chamber. Welds failed first. Design codes "
    "should say so.",
    2019,
)
PAPERS = (TRIAL, SECOND, NULL, OTHER)


def trial_text() -> Document:
    """The full text of `TRIAL`; the sentence `BODY` is on page 4."""
    filler = (
        "The study was approved by a committee of the hospital. Leaves were dried and weighed by two people. "
        "All visits took place in the morning before breakfast. Nurses kept a diary of visits and of missed doses. "
    )
    return build_document(
        TRIAL.id,
        [
            Block("title", TRIAL.title),
            Block("heading", "Abstract", section_kind="abstract"),
            Block("abstract", TRIAL.abstract),
            Block("heading", "Methods", number="2", section_kind="methods"),
            *(Block("body", filler) for _ in range(8)),
            Block("heading", "Results", number="3", section_kind="results"),
            Block("body", f"{BODY} Body weight stayed the same in both groups.", pages=((0, 4),)),
        ],
        origin="jats",
        parser="test-1",
    )


def answering_engine(home: Path, model_url: str = "") -> Engine:
    """The real engine over a library with these papers, without the starter library; with a model at `model_url`."""
    settings = replace(from_home(home), starter=False)
    if model_url:
        settings = replace(settings, model=replace(settings.model, base_url=model_url, model=MODEL))
    libraries.store(settings.library, [Parsed(paper, trial_text() if paper.full_text else None) for paper in PAPERS])
    return Engine(Parts(settings))


TRUE = "Holy basil lowered fasting blood glucose in adults with type 2 diabetes."
TURNED = "Holy basil raised fasting blood glucose in adults with type 2 diabetes."
TOO_WIDE = "Holy basil controls type 2 diabetes."
DIFFERING = "Holy basil lowered fasting blood glucose in one trial and had no effect on it in another."
NO_QUOTE = "No quote tells for how long the effect lasts."
FALL = "Fasting blood glucose of the adults fell by 21 mg/dL."


def writing_model(asked: Received) -> Script:
    """Writes of the papers on holy basil, and finds `TOO_WIDE` too wide when it is asked about it."""
    shown = "\n".join(str(message["content"]) for message in asked.messages)
    if "The quotes are numbered" not in shown:
        is_wide = TOO_WIDE in shown
        return says_json({"reason": "only glucose fell" if is_wide else "", "verdict": "scope" if is_wide else "fine"})
    number = {line.partition("] ")[2]: int(line[1:].partition("]")[0]) for line in shown.split("\n") if line[:1] == "["}
    lowered, null, body = number[LOWERED], number[NO_EFFECT], number[BODY]
    return says_json(
        {
            "points": [
                {"quotes": [lowered, number[RESTATED]], "sentence": TRUE},
                {"quotes": [lowered], "sentence": TURNED},
            ],
            "answer": [
                {"paragraph": 2, "quotes": [lowered], "sentence": TOO_WIDE},
                {"paragraph": 1, "quotes": [body], "sentence": FALL},
            ],
            "disagreement": [{"quotes": [lowered, null], "sentence": DIFFERING}],
            "gaps": [NO_QUOTE],
        }
    )
