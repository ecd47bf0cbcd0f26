"""Homes for pictures that need more than the starter library: papers made up, services and models on this machine."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

import http_clients
from arxiv_server import feed
from fakes_model_server import ModelServer, Received, Script, hangs, says_json
from fakes_model_server import serving as serving_model
from fakes_web_server import Asked, Page, as_json, page
from library_servers import served
from model_clients import settings_for
from scripted_agents import calling

from litterm.build import build_engine
from litterm.core.settings import Settings, from_home
from litterm.core.tasks import run
from litterm.server.http.listen import ListenAddress

Prepare = Callable[[Path, ExitStack], Settings]
"""Fills a home and starts what it needs, to be ended with the stack; the settings."""
_ZEBRAS: Final = (
    ("doi:10.5555/herd1", "Night migration of plains zebras", "Ecology", 2016, "Herds split at rivers."),
    ("doi:10.5555/stripe", "Zebras and their stripes in southern winters", "Ecology", 2018, "Stripes of zebras."),
    ("doi:10.5555/rain", "Why zebras wait for rain", "Oecologia", 2012, "Rain delays the migration of zebras by days."),
)
_NEWER: Final = (
    ("doi:10.5555/fly", "Stripes confuse biting flies near zebras", "Biology Letters", 2019, "Flies land less often."),
    ("doi:10.5555/wall", "Fences across the paths of zebras", "Ecology", 2021, "Fences lengthen the way to water."),
)
_ONLINE: Final = (
    ("a", "Zebra herds seen from the air", "Observed from aircraft over three dry seasons.", 2023, "10.5555/air"),
    ("b", "Rivers as borders of zebra herds", "Collared animals cross at three fords only.", 2020, "10.5555/river"),
    ("c", "Night migration of plains zebras", "Herds split at rivers.", 2016, "10.5555/herd1"),
)
_AGENT: Final = (
    ("search", {"thought": "The excerpt describes rules with gaps: hierarchical phrases.",
                "query": "hierarchical phrases with gaps"}),
    ("read", {"thought": "Does it learn from text without annotation?", "paper": "starter:chiang2005",
              "query": "learned without annotation"}),
    ("select", {"thought": "The first paper states both; the later one extends it.", "paper": "starter:chiang2005"}),
)  # fmt: skip
_JUDGED_BEFORE_IT_STOPS: Final = 4

_BIBLIOGRAPHY: Final = """@inproceedings{vaswani2017,
  title = {Attention Is All You Need},
  author = {Vaswani, Ashish and Shazeer, Noam and Parmar, Niki and Uszkoreit, Jakob and Jones, Llion and
            Gomez, Aidan N. and Kaiser, Lukasz and Polosukhin, Illia},
  booktitle = {NeurIPS}, year = {2016}
}
@inproceedings{papineni2002,
  title = {BLEU: a method for automatic evaluation of machine translation},
  author = {Papineni, Kishore and Roukos, Salim and Ward, Todd and Chu, Wei-Jing}, booktitle = {ACL}, year = {2002}
}
@inproceedings{devlin2019,
  title = {BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding},
  author = {Devlin, Jacob and Chang, Ming-Wei and Lee, Kenton and Toutanova, Kristina},
  booktitle = {NAACL}, year = {2019}
}
@article{unknown2023, title = {Grammars of paper boats}, author = {Doe, Jane}, journal = {Boat Letters}, year = {2023}}
"""


def bare(home: Path, _stack: ExitStack) -> Settings:
    """The starter library alone."""
    return replace(from_home(home), network_notice=False)


def bibliography(home: Path, stack: ExitStack) -> Settings:
    """A bibliography with faults beside the starter library."""
    (home / "papers").mkdir()
    (home / "papers" / "refs.bib").write_text(_BIBLIOGRAPHY, "utf-8")
    return bare(home, stack)


def zebras(home: Path, _stack: ExitStack) -> Settings:
    """Three papers, a watch, and two papers that came after it."""
    settings = replace(from_home(home), starter=False, network_notice=False)
    engine = build_engine(settings)
    run(engine.add([_records(home / "zebras.jsonl", _ZEBRAS)]))
    run(engine.saved_searches.add("zebras"))
    run(engine.add([_records(home / "newer.jsonl", _NEWER)]))
    return settings


def group(home: Path, stack: ExitStack) -> Settings:
    """The library of a group on a server, and a home that is its client."""
    kept = replace(from_home(home / "server"), starter=False)
    run(build_engine(kept).add([_records(home / "zebras.jsonl", (*_ZEBRAS, *_NEWER))]))
    server = stack.enter_context(served(home / "server", address=ListenAddress(port=8765), filled=False))
    return replace(from_home(home / "user"), starter=False, server=server.url, network_notice=False)


def jobs(home: Path, stack: ExitStack) -> Settings:
    """Files that cannot be read, rows read in part, and an arXiv that answers its first page only."""
    settings = zebras(home, stack)
    files = home / "papers"
    files.mkdir()
    (files / "scan.pdf").write_text("<!doctype html><title>Please log in</title>")
    rows = [{"id": f"x:{row}", "title": f"Counting zebras, part {row}", "references": 7} for row in range(1, 31)]
    (files / "counts.jsonl").write_text("\n".join(map(json.dumps, rows)))
    server = _services(stack)

    def half(asked: Asked) -> Page:
        return page(feed(range(100), 1240)) if asked.one("start") == "0" else Page(silent=True)

    server.on("/arxiv/api/query", half)
    return settings


def online(home: Path, stack: ExitStack) -> Settings:
    """Semantic Scholar, which knows of papers that the library has not."""
    settings = zebras(home, stack)
    found = [
        {"paperId": letter * 40, "title": title, "abstract": abstract, "year": year, "venue": "Ecology",
         "externalIds": {"DOI": doi}, "authors": [{"name": "Ada Lovelace"}, {"name": "Jane Goodall"}]}
        for letter, title, abstract, year, doi in _ONLINE
    ]  # fmt: skip
    _services(stack).on("/s2/paper/search", as_json({"total": len(found), "offset": 0, "data": found}))
    return settings


def judge(home: Path, stack: ExitStack) -> Settings:
    """A model that judges the first sentences of every part, and keeps six of them."""
    return _model(home, stack, lambda _asked: _picks())


def judge_that_stops(home: Path, stack: ExitStack) -> Settings:
    """One that says nothing any more after some parts."""
    server: list[ModelServer] = []

    def brain(_asked: Received) -> Script:
        return _picks() if len(server[0].chats) <= _JUDGED_BEFORE_IT_STOPS else hangs()

    return _model(home, stack, brain, server.append)


def grader(home: Path, stack: ExitStack) -> Settings:
    """A model that grades a paper by the words that it shares with an aspect."""
    return _model(home, stack, _grades)


def agent(home: Path, stack: ExitStack) -> Settings:
    """A model that searches, reads and selects."""
    return _model(home, stack, calling(_AGENT))


def _records(path: Path, papers: Sequence[tuple[str, str, str, int, str]]) -> Path:
    names = ["Ada Lovelace", "Jane Goodall"]
    rows = [
        {"id": key, "title": title, "venue": venue, "year": year, "abstract": abstract, "authors": names}
        for key, title, venue, year, abstract in papers
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def _services(stack: ExitStack) -> http_clients.WebServer:
    server = stack.enter_context(http_clients.serving())
    os.environ["LITTERM_SERVICES"] = server.url
    stack.callback(os.environ.pop, "LITTERM_SERVICES")
    return server


def _model(
    home: Path,
    stack: ExitStack,
    brain: Callable[[Received], Script],
    started: Callable[[ModelServer], None] = lambda server: None,
) -> Settings:
    server = stack.enter_context(serving_model())
    started(server)
    server.brain = brain
    return replace(settings_for(home, server.url), network_notice=False)


def _grades(asked: Received) -> Script:
    requirements, paper = asked.last.split("<<<paper")
    grades = []
    for number, aspect in re.findall(r"^\[(\d+)\] (.*)$", requirements, re.MULTILINE):
        shared = {word for word in re.findall(r"[a-z]{5,}", aspect.lower()) if word in paper.lower()}
        label = ("UNRELATED", "PARTLY", "FULLY")[min(2, len(shared))]
        reason = f"It names {' and '.join(sorted(shared))}." if shared else "It is about another matter."
        grades.append({"number": int(number), "reason": reason, "sentence": 1 if shared else 0, "grade": label})
    return says_json({"grades": grades})


def _picks() -> Script:
    first = {"number": 1, "stance": "supports", "reason": "It says so, with a figure."}
    second = {"number": 2, "stance": "refutes", "reason": "It reports the opposite for another measure."}
    return says_json({"thoughts": "", "picks": [first, second], "numbers": [1, 2, 3, 4, 5, 6]})
