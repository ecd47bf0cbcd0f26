"""The sentences of a paper that cite, and the hypothesis that a cited paper is said to support.

After EvidenceBench, which takes its hypotheses from reviews: what a review says of a paper it cites is a claim that the
paper should hold evidence for. Without a model the hypothesis is the citing clause itself, without its marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from litterm.core.errors import UsageError
from litterm.evidence.candidate_pool import content_stems
from litterm.model.citing_sentence import MAX_HYPOTHESIS_WORDS, CitationPlace, CitingSentence, ProposedHypothesis
from litterm.model.document import CitingContext, Document, Sentence, Span
from litterm.text.references.citing_clause import find_claim
from litterm.text.references.resolution import find_mentions

BY_SENTENCE = "citing sentence"
"""`ProposedHypothesis.by` without a model."""
_MIN_CONTENT_WORDS = 3
"""Content words below which a clause claims nothing that a paper could be asked about."""
# A bracket that held nothing but marks, with what is often printed in front of them.
_EMPTY_BRACKETS = re.compile(
    r"\s?[(\[]\s*(?:(?:e\.\s?g\.|i\.\s?e\.|see(?: also)?|cf\.|reviewed (?:in|by)|and|as in)?[\s,;&.–-]*){1,4}[)\]]",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"[(\[][^()\[\]]{0,2000}[)\]]")
_SPACE_BEFORE_PUNCTUATION = re.compile(r" ([.,;:!?)\]])")
_PUNCTUATION_LEFT = re.compile(r"(?<![,;])[,;]+(?=[.;:!?]|$)|(?<=[(\[])[\s,;]+")
_OPENING = re.compile(
    r"^(?:also|additionally|furthermore|moreover|therefore|thus|hence|however|indeed|similarly|interestingly|notably|"
    r"recently|first(?:ly)?|second(?:ly)?|third(?:ly)?|finally|lastly|in particular|in addition|in contrast|conversely|"
    r"for example|for instance|specifically|consequently|accordingly|importantly|and|but|so)\b,?\s+",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"(?:[^;:]{0,80}?\s)?(?:show|found|find|report|demonstrat|observ|suggest|conclud|confirm|argu|indicat|reveal|"
    r"establish|not|prov|propos|hold|held|claim|stat)(?:e|ed|es|n|s|ing)?\s+that\s+",
    re.IGNORECASE,
)
"""What comes before a reported claim: `Smith et al. have shown that`."""
_AUTHORS = re.compile(
    r"\bet al\b|\b(?:authors?|stud(?:y|ies)|works?|groups?|reviews?|we|they|it|others|researchers)\b", re.IGNORECASE
)


def citing_sentences(document: Document) -> tuple[CitingSentence, ...]:
    """The sentences of `document` that cite, in the order of the text."""
    by_sentence: dict[int, list[CitingContext]] = {}
    for context in document.contexts:
        by_sentence.setdefault(context.sentence, []).append(context)
    return tuple(_citing(document, document.sentences[index], by_sentence[index]) for index in sorted(by_sentence))


def find_citing_sentence(document: Document, index: int) -> CitingSentence:
    """The sentence with this index, which cites.

    Raises:
        UsageError: there is no such sentence, or it cites nothing; the nearest one that does is named.
    """
    contexts = [context for context in document.contexts if context.sentence == index]
    if contexts:
        return _citing(document, document.sentences[index], contexts)
    if not 0 <= index < len(document.sentences):
        raise UsageError(f"There is no sentence {index}; the text has 0 to {len(document.sentences) - 1}.")
    citing = sorted({context.sentence for context in document.contexts})
    if not citing:
        raise UsageError("No citation was found in the text of this paper, so no sentence of it proposes a hypothesis.")
    nearest = min(citing, key=lambda other: abs(other - index))
    raise UsageError(f"Sentence {index} cites nothing; the nearest one that does is {nearest}.")


def choose_citation(citing: CitingSentence, number: int | None = None) -> CitationPlace:
    """The work with this number (from 1) among those that the sentence cites, or the only one.

    Raises:
        UsageError: there is no such number, or none is given and there are several.
    """
    count = len(citing.citations)
    if number is None and count > 1:
        raise UsageError(f"The sentence cites {count} works; say which one, by its number.")
    chosen = 1 if number is None else number
    if not 1 <= chosen <= count:
        raise UsageError(f"There is no work {chosen}; the sentence cites {count}.")
    return citing.citations[chosen - 1]


def propose_hypothesis(citing: CitingSentence, cited: CitationPlace) -> ProposedHypothesis:
    """The hypothesis that `cited` is said to support, without a model: the words around its mark, without any marks.

    Where other works are cited elsewhere in the sentence it is the clause of the mark; authors who are only said to
    have shown it are left out.

    Raises:
        UsageError: hardly a word is left, or the clause has more words than a hypothesis may have.
    """
    text = citing.sentence.text
    own, marks = cited.marks[0], [mark for place in citing.citations for mark in place.marks]
    others = [mark for mark in marks if not _touches(mark, own, text)]
    span = find_claim(text, own, others) if others else Span(0, len(text))
    bare = text_without_marks(text, marks, Span(_start_of_claim(text, marks, span), span.end))
    if len(set(content_stems(bare))) < _MIN_CONTENT_WORDS:
        raise UsageError("The citing sentence says too little of the cited work to be a hypothesis; type one instead.")
    count = len(bare.split())
    if count > MAX_HYPOTHESIS_WORDS:
        raise UsageError(
            f"The citing sentence has {count} words, and a hypothesis at most {MAX_HYPOTHESIS_WORDS}; "
            "type a shorter one, or ask a model for it."
        )
    notice = "The hypothesis is the citing sentence without its marks; no model was asked to word it."
    return ProposedHypothesis(bare[:1].upper() + bare[1:], BY_SENTENCE, (notice,))


def text_without_marks(text: str, marks: Iterable[Span], within: Span | None = None) -> str:
    """`text`, or the part of it in `within`, without these marks and without the brackets that held nothing else.

    Authors who are named in the running text stay: `Smith et al. (2019) found` becomes `Smith et al. found`.
    """
    span = within or Span(0, len(text))
    characters = list(text)
    for start, end in _marked_stretches(text, marks):
        characters[start:end] = [""] * (end - start)
    bare = "".join(characters[span.start : span.end])
    # Twice: a bracket in a bracket.
    for _ in range(2):
        bare = _EMPTY_BRACKETS.sub("", bare)
    bare = _SPACE_BEFORE_PUNCTUATION.sub(r"\1", " ".join(bare.split()))
    return _PUNCTUATION_LEFT.sub("", bare.replace("..", ".")).strip(" ,;:–-([")


def neighbouring_paragraphs(document: Document, sentence: Sentence) -> tuple[str, ...]:
    """The paragraph before that of `sentence`, its own and the one after, those of its section that there are."""
    rows: dict[int, list[str]] = {}
    for row in document.sentences:
        if row.section == sentence.section and row.kind == sentence.kind:
            rows.setdefault(row.paragraph, []).append(row.text)
    nearby = (sentence.paragraph - 1, sentence.paragraph, sentence.paragraph + 1)
    return tuple(" ".join(rows[paragraph]) for paragraph in nearby if paragraph in rows)


def _citing(document: Document, sentence: Sentence, contexts: Sequence[CitingContext]) -> CitingSentence:
    marks: dict[int, list[Span]] = {}
    for context in sorted(contexts, key=lambda context: (context.span.start, context.reference)):
        start = max(0, context.span.start - sentence.span.start)
        end = min(len(sentence.text), context.span.end - sentence.span.start)
        marks.setdefault(context.reference, []).append(Span(start, max(start, end)))
    return CitingSentence(
        document.paper_id,
        sentence,
        tuple(CitationPlace(document.references[number], tuple(spans)) for number, spans in marks.items()),
    )


def _marked_stretches(text: str, marks: Iterable[Span]) -> list[tuple[int, int]]:
    """Where the marks are, in brackets with the names that belong to them, beside names only the year."""
    brackets = [match.span() for match in _BRACKETS.finditer(text)]
    mentions = [mention.span for mention in find_mentions(text)]
    stretches: list[tuple[int, int]] = []
    for mark in marks:
        opened = text.find("(", mark.start, mark.end)
        if opened > mark.start:
            # `Smith et al. (2019`, where the mark ends with the year.
            stretches.append((opened, mark.end + text.startswith(")", mark.end)))
        else:
            stretches.append((mark.start, mark.end))
        for left, right in brackets:
            if left <= mark.start and mark.end <= right:
                # `(Smith et al., 2010)`, of which some sources mark no more than the year.
                stretches += [
                    (mention.start, mention.end)
                    for mention in mentions
                    if left < mention.start and mention.end <= right and mention.start < mark.end <= mention.end + 1
                ]
    return stretches


def _touches(mark: Span, own: Span, text: str) -> bool:
    """Whether both marks are of one group: in the same bracket, or with nothing but signs between them."""
    first, second = sorted((mark, own), key=lambda span: span.start)
    between = text[first.end : second.start]
    return not any(character.isalpha() for character in between) or any(
        bracket.start() <= first.start and second.end <= bracket.end() for bracket in _BRACKETS.finditer(text)
    )


def _start_of_claim(text: str, marks: Sequence[Span], span: Span) -> int:
    """Where the claim begins behind words that lead to it, and behind those who are said to have shown it."""
    start = span.start
    for _ in range(2):
        if opening := _OPENING.match(text[start : span.end]):
            start += opening.end()
    reported = _REPORTED.match(text, start, span.end)
    if reported is None or len(content_stems(text[reported.end() : span.end])) < _MIN_CONTENT_WORDS:
        return start
    lead = reported.group()
    # `Mice that lack X show that ...` is about mice; authors, studies and places of marks are not the claim.
    marked = any(start <= mark.start < reported.end() for mark in marks)
    return reported.end() if marked or _AUTHORS.search(lead) or len(lead.split()) <= 3 else start
