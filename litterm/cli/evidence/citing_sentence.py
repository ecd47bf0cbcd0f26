"""`litterm evidence --from PAPER:SENTENCE`: the evidence of a cited paper for what a citing sentence says of it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from litterm.cli.parser import join_words
from litterm.core.errors import UnknownPaper, UsageError
from litterm.text.plural import count_phrase

if TYPE_CHECKING:
    from litterm.cli.context import Context
    from litterm.engine import Engine
    from litterm.model.citing_sentence import CitationPlace, CitingSentence
    from litterm.model.document import Document
    from litterm.model.paper import Paper
    from litterm.render.citations.citing_sentences import CitingSentenceData


def declare(parser: argparse.ArgumentParser) -> None:
    """Adds `--from` and `--cited`."""
    group = parser.add_argument_group("from a citing sentence", "what a paper says of another one, asked of that one")
    group.add_argument(
        "--from",
        dest="citing",
        metavar="PAPER:SENTENCE",
        help="a paper and the number of a sentence of it that cites; PAPER alone lists them",
    )
    group.add_argument("--cited", type=int, metavar="N", help="which of the works that the sentence cites, from 1")


def read_citation(args: argparse.Namespace, engine: Engine, context: Context) -> tuple[Paper, str] | None:
    """The cited paper and the hypothesis; `None` where the citing sentences were listed instead.

    Words after the options are a hypothesis of the user's own.

    Raises:
        UsageError: the sentence cites nothing, or several works of which none is named.
        UnknownPaper: the library does not hold the citing paper, or the cited one.
    """
    from litterm.evidence.citing_sentences import choose_citation, find_citing_sentence

    paper, index = _read_place(args.citing, engine)
    document = context.run(engine.link_references(context.run(engine.read(paper.id))))
    if index is None:
        _list_sentences(document, args, context)
        return None
    citing = find_citing_sentence(document, index)
    try:
        place = choose_citation(citing, args.cited)
    except UsageError as error:
        works = "\n".join(f"  --cited {number}  {_words(each)}" for number, each in enumerate(citing.citations, 1))
        raise UsageError(f"{error}\n{works}") from error
    cited = _cited_paper(place, engine)
    typed = join_words(args.words)
    if typed:
        return cited, typed
    with_model = bool(args.model) and not args.dry_run
    proposed = context.run(engine.studies.propose(document, citing, place, with_model=with_model))
    context.output.say(f"Hypothesis: {proposed.text}")
    for notice in proposed.notices:
        context.output.say(notice)
    return cited, proposed.text


def _read_place(typed: str, engine: Engine) -> tuple[Paper, int | None]:
    name, sign, number = typed.rpartition(":")
    # Ids hold colons, too: `pmid:123` is a paper, and `pmid:123:45` a sentence of it.
    if sign and number.isascii() and number.isdecimal():
        try:
            return engine.paper(name), int(number[:9])
        except UnknownPaper:
            pass
    return engine.paper(typed), None


def _cited_paper(place: CitationPlace, engine: Engine) -> Paper:
    target = place.reference.target
    if target is not None:
        return engine.paper(target)
    known = (
        f"`litterm add {place.reference.ids[0]}` adds it"
        if place.reference.ids
        else "`litterm add` takes its file or id"
    )
    raise UnknownPaper(f"The cited work is not in the library: {_words(place)}. {known}.")


def _words(place: CitationPlace) -> str:
    reference = place.reference
    return " ".join((reference.text or reference.title or reference.label).split())[:300]


def _list_sentences(document: Document, args: argparse.Namespace, context: Context) -> None:
    from litterm.evidence.citing_sentences import citing_sentences

    sentences = citing_sentences(document)
    if args.json:
        context.output.write_json(
            {"paper": document.paper_id, "sentences": [_sentence_json(item) for item in sentences]}
        )
    else:
        options = context.line_options()
        for item in sentences:
            works = count_phrase(len(item.citations), "work")
            context.output.write_lines(
                options.block(f"{item.sentence.text} ({works})", indent=6, first=f"{item.sentence.index:>4}")
            )
    context.output.say(f"{count_phrase(len(sentences), 'sentence')} with citations.")


def _sentence_json(item: CitingSentence) -> CitingSentenceData:
    return {
        "index": item.sentence.index,
        "text": item.sentence.text,
        "works": [{"text": _words(place), "paper": place.reference.target} for place in item.citations],
    }
