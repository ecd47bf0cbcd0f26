"""Splits a hypothesis and the findings of an abstract into study aspects of one fact each, without a model.

EvidenceBench splits the summary that a review gives of a paper. There is none here, so the aspects are the clauses of
the hypothesis and those of what the abstract reports. Its rule that some single sentence must be able to carry an
aspect holds here, too: a clause of the hypothesis that none carries is followed by the things that it names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from litterm.evidence.candidate_pool import content_stems
from litterm.evidence.language import cue_words
from litterm.evidence.language.rhetorical_role import RhetoricalRole, rhetorical_roles
from litterm.model.document import Document, Sentence
from litterm.model.study_aspects import AspectOrigin, StudyAspect, StudyAspects
from litterm.text.tokens import FUNCTION_WORDS, SENTENCE_WORDS, fold, stem_spans

BY_CLAUSES: Final = "clauses"
"""`StudyAspects.by` of a split without a model."""
SPLIT_OFFLINE: Final = "split offline from the hypothesis and the abstract"
"""What is said of such a split wherever it is shown."""
MAX_OFFLINE_ASPECTS: Final = 12
"""Lists of EvidenceBench hold 9.5 aspects on average; more clauses of an abstract only repeat each other."""
_MIN_CLAUSE_STEMS, _MIN_ENTITY_STEMS = 3, 2
"""Content words of a clause that states a fact, and of a thing that is named by more than a common word."""
_MAX_SHARED_STEMS = 0.8
"""Share of its content words in an earlier aspect from which on an aspect says nothing new."""
_VERB = (
    r"(?:is|are|was|were|has|have|had|does|do|did|can|could|may|might|will|would|shows?|showed|shown|suggests?|"
    r"suggested|indicates?|indicated|increases?|increased|decreases?|decreased|reduces?|reduced|improves?|improved|"
    r"causes?|caused|leads?|led|results?|resulted|affects?|affected|remains?|remained|reaches|reached|achieves?|"
    r"achieved|outperforms?|outperformed|inhibits?|inhibited|induces?|induced|predicts?|predicted|correlates?|"
    r"correlated|differs?|differed|associates?|requires?|required|enables?|enabled|allows?|allowed|yields?|yielded|"
    r"depends?|depended|contributes?|contributed|provides?|provided|prevents?|prevented|promotes?|promoted|explains?|"
    r"explained|supports?|supported|exceeds?|exceeded|helps?|helped|raises?|raised|lowers?|lowered|occurs?|occurred|"
    r"varies|varied|drives?|drove|protects?|protected|costs?|alters?|altered|impairs?|impaired|mediates?|mediated)"
)
_JOINT = re.compile(
    r";\s+|:\s+(?=[a-z])"
    r"|,?(?<!\s)\s+(?:while|whereas|although|though|whilst)\s+"
    r"|,\s+(?:but|so|yet|which)\s+"
    rf"|,?(?<!\s)\s+and\s+(?=(?:[\w-]+\s){{0,6}}?{_VERB}\b)"
    r"|,\s+(?=(?:mediated|caused|driven|resulting|leading|suggesting|indicating|showing|including|especially|particularly|"
    r"independent(?:ly)?|regardless|compared|relative|due)\b)"
)
_STARTS_WITH_VERB = re.compile(rf"(?:not\s|also\s|significantly\s)?{_VERB}\b", re.IGNORECASE)
_FIRST_VERB = re.compile(rf"\s{_VERB}\b")
_REPORTERS = r"(?:we|they|(?:our|these|the) (?:results|findings|data)|results|it was)"
_REPORTING = (
    r"(?:found|find|show(?:ed|n|s)?|observed?|report(?:ed)?|demonstrate[ds]?|suggest(?:ed|s)?|indicate[ds]?|"
    r"conclude[ds]?|reveal(?:ed|s)?|confirm(?:ed|s)?)"
)
_LEAD = re.compile(
    rf"^(?:{_REPORTERS}\s+(?:also\s)?{_REPORTING}\s+that\s+"
    r"|(?:in (?:conclusion|summary|addition)|overall|moreover|furthermore|however|thus|therefore|finally|additionally|"
    r"taken together)\b,?\s+"
    r"|[A-Z][A-Za-z/ &]{2,30}:\s+)",
    re.IGNORECASE,
)
_MAX_SUBJECT_WORDS = 12
_NUMBER = re.compile(r"\d")


def split_offline(document: Document, hypothesis: str) -> StudyAspects:
    """The study aspects of `hypothesis` and of what the abstract of `document` reports, at most 12.

    Those of the hypothesis come first. An aspect that repeats an earlier one is left out.
    """
    abstract = [row for row in document.sentences if row.kind == "abstract"]
    aspects = [*(_aspect(part, "hypothesis") for part in clauses(hypothesis)), *_of_abstract(document, abstract)]
    notices = [f"The study aspects were {SPLIT_OFFLINE}."]
    if not abstract:
        notices = ["The study aspects were split offline from the hypothesis; this paper has no abstract."]
    return StudyAspects(hypothesis, tuple(distinct(aspects)[:MAX_OFFLINE_ASPECTS]), BY_CLAUSES, tuple(notices))


def distinct(aspects: Iterable[StudyAspect]) -> list[StudyAspect]:
    """The aspects without those that hardly say more than an earlier one."""
    kept: list[tuple[frozenset[str], StudyAspect]] = []
    for aspect in aspects:
        stems = frozenset(content_stems(aspect.text))
        if stems and not any(len(stems & earlier) >= _MAX_SHARED_STEMS * len(stems) for earlier, _ in kept):
            kept.append((stems, aspect))
    return [aspect for _, aspect in kept]


def reports_result(text: str) -> bool:
    """Whether a fact is a result, by its wording: a statistic, a direction or a finding, and no aim or method."""
    lower = text.lower()
    found = bool(
        cue_words.STATISTIC.search(text)
        or cue_words.SIGNIFICANCE.search(lower)
        or cue_words.DIRECTION.search(lower)
        or cue_words.FINDING_CUES.search(lower)
        or cue_words.CONCLUSION_CUES.search(lower)
    )
    return found and not cue_words.AIM.search(lower)


def added_words(text: str, sources: Sequence[str]) -> tuple[str, ...]:
    """The content words and numbers of an aspect that none of its `sources` holds: what it gives away.

    A word counts as held where its stem occurs; the words are as typed, each once.
    """
    held = {stem for source in sources for stem in content_stems(source)}
    added = {
        text[start:end]: stem
        for start, end, stem in stem_spans(text)
        if content_stems(text[start:end]) and stem not in held
    }
    return tuple(added)


def clauses(sentence: str) -> list[str]:
    """The clauses of a sentence that state a fact each, with the subject carried over; at least one."""
    bare = _without_lead(sentence)
    pieces: list[str] = []
    start = 0
    for joint in (*_JOINT.finditer(bare), None):
        end = joint.start() if joint else len(bare)
        # Both sides state something; `A and B increase C` is one fact.
        if joint and not (_states_fact(bare[start:end]) and len(set(content_stems(bare[end:]))) >= _MIN_CLAUSE_STEMS):
            continue
        part = bare[start:end].strip(" ,;:.")
        if part:
            pieces.append(part)
        start = joint.end() if joint else end
    if not pieces:
        return [bare.strip(" ,;:.")]
    subject = _subject(pieces[0])
    carried = (f"{subject} {piece}" if subject and _STARTS_WITH_VERB.match(piece) else piece for piece in pieces[1:])
    return [_capitalised(piece) for piece in (pieces[0], *carried)]


def named_things(aspect: StudyAspect) -> tuple[StudyAspect, ...]:
    """What an aspect that no sentence carries is split into further: the things it names, if there are several."""
    names = entities(aspect.text)
    return tuple(StudyAspect(_capitalised(name), False, aspect.origin) for name in names) if len(names) > 1 else ()


def _states_fact(clause: str) -> bool:
    return len(set(content_stems(clause))) >= _MIN_CLAUSE_STEMS and re.search(rf"\b{_VERB}\b", clause) is not None


def entities(text: str) -> list[str]:
    """The things that `text` names: runs of at least two content words, in order, without verbs of change."""
    runs: list[list[tuple[int, int]]] = [[]]
    end_before = 0
    for start, end, _ in stem_spans(text):
        word = fold(text[start:end])
        # A comma or a bracket ends a name; a hyphen does not.
        if re.search(r"[^\s\-–/']", text[end_before:start]) or _is_no_name(word):
            runs.append([])
        if not _is_no_name(word):
            runs[-1].append((start, end))
        end_before = end
    return [text[run[0][0] : run[-1][1]] for run in runs if len(run) >= _MIN_ENTITY_STEMS]


def _of_abstract(document: Document, abstract: Sequence[Sentence]) -> Iterator[StudyAspect]:
    roles = rhetorical_roles(abstract, [section.title for section in document.sections])
    for sentence, role in zip(abstract, roles, strict=True):
        if not _is_background(sentence.text, role):
            for part in clauses(sentence.text):
                if len(set(content_stems(part))) >= _MIN_CLAUSE_STEMS:
                    yield _aspect(part, "abstract")


def _is_background(text: str, role: RhetoricalRole) -> bool:
    """Whether a sentence of an abstract tells what others know or what is not known, and nothing of the study."""
    lower = text.lower()
    told = role.shows or role.concludes or role.gathers or role.asks or role.in_results or role.in_conclusion
    own = cue_words.FIRST_PERSON.search(lower) or _NUMBER.search(text) or reports_result(text)
    return not (told or own)


def _aspect(text: str, origin: AspectOrigin) -> StudyAspect:
    return StudyAspect(text, reports_result(text), origin)


def _without_lead(sentence: str) -> str:
    bare = " ".join(sentence.split())
    for _ in range(3):
        lead = _LEAD.match(bare)
        if lead is None or len(content_stems(bare[lead.end() :])) < _MIN_CLAUSE_STEMS:
            break
        bare = bare[lead.end() :]
    return bare


def _subject(clause: str) -> str:
    """The words before the first verb of a clause; empty where there is none, or too many to be a subject."""
    verb = _FIRST_VERB.search(clause)
    subject = clause[: verb.start()] if verb else ""
    return subject if len(subject.split()) <= _MAX_SUBJECT_WORDS else ""


def _is_no_name(word: str) -> bool:
    return (
        word in FUNCTION_WORDS
        or word in SENTENCE_WORDS
        or bool(re.fullmatch(_VERB, word) or cue_words.DIRECTION.fullmatch(word) or re.fullmatch(r"\w+ly|than", word))
    )


def _capitalised(text: str) -> str:
    # `pH` and `mRNA` stay as they are.
    return text[:1].upper() + text[1:] if text[:2].islower() else text
