"""Sentences made from real quotes, half of them with a planted fault: a program with a seed writes them all.

True sentences are harmless paraphrases: clauses in another order, another tense, a rounded figure, an opening added or
left out. A fault is planted into such a paraphrase, so that being reworded tells nothing. The words planted are listed
here and not taken from the checks that are measured.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from litterm.evidence.answers.sentence_check import QuotedText

Writer = Callable[[str, random.Random], str]
"""Rewrites a sentence; gives an empty text where it cannot."""


@dataclass(frozen=True, slots=True)
class PlantedSentence:
    """A sentence with its quote, and what is wrong in it."""

    text: str
    quote: QuotedText
    fault: str
    """The kind of fault; empty for a true sentence."""
    wording: str
    """How it was reworded."""
    field: str
    """Of the paper, as the file is named."""


FAULTS: Final = (
    "figure",
    "unit",
    "direction",
    "roles",
    "population",
    "scope",
    "language pair",
    "invented paper",
)
_NUMBER: Final = re.compile(r"(?<![\w.,/-])(\d{1,4}(?:\.\d{1,3})?)(?![\w.,/-]*\d)(?!\w)")
_UNITS: Final = (
    *(("%", " points"), (" points", " %"), (" mg", " g"), (" kg", " g"), (" µg", " mg"), (" mL", " L"), (" ml", " l")),
    *((" years", " months"), (" months", " weeks"), (" weeks", " days"), (" days", " weeks"), (" hours", " minutes")),
    *(
        (" h", " min"),
        (" minutes", " hours"),
        (" min", " s"),
        (" mm", " cm"),
        (" cm", " m"),
        (" nM", " mM"),
        (" km", " m"),
    ),
    *(
        (" BLEU", " ROUGE"),
        (" billion", " million"),
        (" million", " billion"),
        (" percent", " points"),
        ("-year", "-month"),
    ),
    *(
        ("-week", "-day"),
        ("-day", "-week"),
        (" tokens", " documents"),
        (" sentences", " documents"),
        (" words", " tokens"),
    ),
)
_OPPOSITES: Final = (
    *(("increases", "decreases"), ("increased", "decreased"), ("increase", "decrease"), ("increasing", "decreasing")),
    *(("higher", "lower"), ("improves", "worsens"), ("improved", "worsened"), ("improve", "worsen"), ("more", "less")),
    *(("improving", "worsening"), ("improvements", "losses"), ("improvement", "decline"), ("better", "worse")),
    *(("reduces", "raises"), ("reduced", "raised"), ("reduce", "raise"), ("reduction", "rise"), ("greater", "smaller")),
    *(
        ("outperforms", "falls behind"),
        ("outperform", "fall behind"),
        ("outperformed", "fell behind"),
        ("gains", "losses"),
    ),
    *(("positive", "negative"), ("positively", "negatively"), ("faster", "slower"), ("longer", "shorter")),
    *(("inhibits", "activates"), ("inhibited", "activated"), ("enhances", "weakens"), ("enhanced", "weakened")),
    *(("upregulated", "downregulated"), ("effective", "ineffective"), ("superior", "inferior"), ("larger", "smaller")),
    *(
        ("prevents", "triggers"),
        ("promotes", "suppresses"),
        ("promoted", "suppressed"),
        ("up", "down"),
        ("most", "least"),
    ),
    *(
        ("can", "cannot"),
        ("does not", "does"),
        ("did not", "did"),
        ("is not", "is"),
        ("are not", "are"),
        ("was not", "was"),
    ),
    *(("were associated", "were not associated"), ("was associated", "was not associated"), ("is able", "is unable")),
    *(("leads to", "does not lead to"), ("lead to", "do not lead to"), ("no significant", "a significant")),
)
_POPULATIONS: Final = (
    *(
        ("patients", "healthy volunteers"),
        ("children", "adults"),
        ("adults", "children"),
        ("women", "men"),
        ("men", "women"),
    ),
    *(
        ("mice", "rats"),
        ("rats", "mice"),
        ("rat", "rabbit"),
        ("mouse", "human"),
        ("human", "mouse"),
        ("humans", "machines"),
    ),
    *(("infants", "adolescents"), ("adolescents", "older adults"), ("students", "teachers"), ("workers", "students")),
    *(
        ("users", "experts"),
        ("experts", "novices"),
        ("annotators", "students"),
        ("speakers", "readers"),
        ("girls", "boys"),
    ),
    *(("tweets", "news articles"), ("news", "tweets"), ("physicians", "nurses"), ("nurses", "physicians")),
    *(("participants", "experienced nurses"), ("males", "females"), ("females", "males"), ("pregnant", "elderly")),
    *(
        ("dialogue", "email"),
        ("clinical", "legal"),
        ("legal", "clinical"),
        ("biomedical", "financial"),
        ("cells", "mice"),
    ),
)
_WIDER: Final = (
    *((" may ", " does "), (" might ", " will "), (" could ", " will "), ("suggests that", "proves that")),
    *(("suggest that", "prove that"), ("indicate that", "prove that"), ("indicates that", "proves that")),
    *((" some ", " all "), (" most ", " all "), (" many ", " all "), (" several ", " all "), (" often ", " always ")),
    *(
        ("usually", "always"),
        ("tend to ", ""),
        ("in part", "entirely"),
        ("partially", "completely"),
        ("potentially ", ""),
    ),
    *((" two of ", " all of "), ("associated with", "the cause of"), ("correlates with", "causes"), ("mostly", "only")),
    *(("can help", "always help"), ("likely", "certainly"), ("possible", "certain"), ("mainly", "exclusively")),
)
_WIDE_OPENINGS: Final = ("In all cases, ", "Without exception, ", "For every language and domain, ", "In everyone, ")
_LANGUAGE: Final = (
    "English|German|French|Spanish|Chinese|Japanese|Russian|Arabic|Hindi|Czech|Finnish|Turkish|Romanian|Italian|Dutch"
    "|Portuguese|Korean|Vietnamese|Hebrew|Swahili|Estonian|Latvian|Lithuanian|Kazakh|Gujarati|Tamil|Polish|Ukrainian"
    "|Basque|Icelandic|Nepali|Sinhala|Bengali|Urdu|Indonesian|Thai|En|De|Fr|Zh|Ja|Ro|Ru|EN|DE|FR|ZH|JA|RO|RU"
)
_PAIR: Final = re.compile(rf"\b({_LANGUAGE})(\s?(?:→|->|⇒|-to-|–|-|to|into|/)\s?)({_LANGUAGE})\b")
_FAMILIES: Final = "Miller Okafor Novak Lindqvist Castellano Haddad Brightwater Ferreira Kowalczyk Thornbury".split()
_OPENINGS: Final = re.compile(
    r"^(?:However|Moreover|Furthermore|In addition|Additionally|Finally|Overall|Interestingly|In conclusion|Thus|Also"
    r"|Surprisingly|Specifically|In particular|Conclusions?:|Results?:|Experiments show that|Our results show that"
    r"|Results show that|We found that|We find that|We show that|These results (?:suggest|indicate|show) that)[:,]? "
)
_ADDED: Final = ("The authors report that ", "According to the abstract, ", "In this study, ", "It was found that ")
_TENSES: Final = (
    *(("was", "is"), ("were", "are"), ("is", "was"), ("are", "were"), ("shows", "showed"), ("showed", "shows")),
    *(("achieves", "achieved"), ("achieved", "achieves"), ("increased", "increases"), ("reduces", "reduced")),
    *(("improves", "improved"), ("found", "find"), ("outperforms", "outperformed"), ("has", "had"), ("had", "has")),
    *(
        ("demonstrate", "show"),
        ("utilizes", "uses"),
        ("individuals", "people"),
        ("approach", "method"),
        ("subjects", "people"),
    ),
    *(
        ("obtained", "got"),
        ("demonstrated", "showed"),
        ("significantly ", ""),
        ("additional", "further"),
        ("large", "big"),
    ),
)
_SYNONYMS: Final = (
    *(
        ("increases", "raises"),
        ("increased", "raised"),
        ("decreased", "reduced"),
        ("reduced", "lowered"),
        ("higher", "greater"),
    ),
    *(("improves", "enhances"), ("improved", "enhanced"), ("improvement", "gain"), ("improvements", "gains")),
    *(("outperforms", "surpasses"), ("outperform", "surpass"), ("significantly", "markedly"), ("demonstrate", "show")),
    *(("effective", "useful"), ("associated with", "linked to"), ("performance", "results"), ("model", "system")),
    *(("patients", "people"), ("method", "approach"), ("dataset", "corpus"), ("however", "yet"), ("risk", "chance")),
    *(
        ("treatment", "therapy"),
        ("children", "kids"),
        ("may", "might"),
        ("suggest", "indicate"),
        ("compared with", "than"),
    ),
    *(("several", "some"), ("important", "key"), ("study", "trial"), ("found", "observed"), ("different", "various")),
    *(
        ("did not", "failed to"),
        ("does not", "fails to"),
        ("cannot", "is unable to"),
        ("no", "not any"),
        ("large", "big"),
    ),
)
_REWORDED_TWICE: Final = 0.5
"""Share of true sentences that are reworded a second time."""
_FINDING: Final = re.compile(
    r"\b(?:show|found|find|improv|increas|decreas|reduc|outperform|higher|lower|better|significant|associat|achiev|suggest"
    r"|indicat|result|effect|correlat|caus|induc|inhibit|demonstrat|reveal|conclu|more|less)\w*"
)
_NO_QUOTE: Final = re.compile(
    r"\bet al\b|\?|https?:|\[\d|;|\bthis paper\b|\bwe (?:propose|present|introduce|describe)\b", re.I
)
_MIN_WORDS, _MAX_WORDS = 9, 38
_MARKER: Final = re.compile(
    r" (?:(?:significantly |consistently |strongly |directly )?(?:outperforms?|outperformed|induces?|induced|causes?"
    r"|inhibits?|inhibited|increases|activates?|activated|promotes?|exceeds?|surpass(?:es)?|predicts|affects|improves|reduces)"
    r"|(?:is|are|was|were|performs?|performed) (?:\w+ ){0,3}than) "
)
_PHRASE_END: Final = re.compile(
    r"[,.;:]| (?:in|on|by|with|for|at|from|when|while|and|but|to|of|as|across|under|using|than) "
)
_MAX_PHRASE_WORDS = 7


def is_quotable(sentence: str) -> bool:
    """Whether an answer could be written from it: it states a finding, in one sentence of a usual length."""
    return (
        _MIN_WORDS <= len(sentence.split()) <= _MAX_WORDS
        and sentence[:1].isupper()
        and sentence.endswith(".")
        and bool(_FINDING.search(sentence))
        and not _NO_QUOTE.search(sentence)
    )


def make_sentences(
    quotes: Mapping[str, Sequence[QuotedText]], *, count: int = 300, seed: int = 36
) -> list[PlantedSentence]:
    """`count` sentences, half of them true, from the quotes of each field, which are each used once.

    Faults have equal shares where enough quotes can take them; what is left over goes to the others in turn.
    """
    chance = random.Random(seed)
    left = {field: chance.sample(list(own), len(own)) for field, own in quotes.items()}
    made: list[PlantedSentence] = []
    wanted = [kind for number in range(count // 2) for kind in [FAULTS[number % len(FAULTS)]]]
    # The kinds that few quotes can take choose first.
    rare_first = ("language pair", "roles", "unit", "population", "scope", "direction", "figure", "invented paper")
    for place, kind in enumerate(sorted(wanted, key=rare_first.index)):
        made += _first_that_fits(left, kind, place, chance)
    for place in range(count - len(made)):
        made += _first_that_fits(left, "", place, chance)
    return made


def _first_that_fits(
    left: dict[str, list[QuotedText]], kind: str, place: int, chance: random.Random
) -> Iterable[PlantedSentence]:
    fields = sorted(left)
    for field in (*fields[place % len(fields) :], *fields[: place % len(fields)]):
        for number, quote in enumerate(left[field]):
            if kind:
                planted = _PLANTERS[kind](quote.text, chance)
                if not planted or planted == quote.text:
                    continue
                wording, text = _reworded(planted, chance, kind)
            else:
                # Every way of rewording has the same share of the true sentences.
                wording = list(_WORDINGS)[place // len(fields) % len(_WORDINGS)]
                text = _WORDINGS[wording](quote.text, chance)
                if not text or text == quote.text:
                    continue
                if chance.random() < _REWORDED_TWICE:
                    text = _reworded(text, chance, kind, without=wording)[1]
            del left[field][number]
            return [PlantedSentence(text, quote, kind, wording, field)]
    return []


def _reworded(text: str, chance: random.Random, kind: str, *, without: str = "") -> tuple[str, str]:
    """How it was reworded, and the new sentence; a figure that is wrong is not rounded."""
    names = [name for name in _WORDINGS if name != without and not (kind and name == "rounded")]
    if kind == "invented paper":
        return "opening", text
    for name in chance.sample(names, len(names)):
        if text_now := _WORDINGS[name](text, chance):
            return name, text_now
    return "none", text


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _small(text: str) -> str:
    first = text.split(" ", 1)[0]
    is_word = (first.isalpha() and first[1:].islower()) or len(first) == 1
    return text[:1].lower() + text[1:] if is_word and first.lower() in _SMALL else text


_SMALL: Final = frozenset(
    "the a an this these those our we in on for results experiments both it there when while although compared".split()
)


def _with_other_opening(text: str, chance: random.Random) -> str:
    bare = _OPENINGS.sub("", text)
    if bare != text:
        return _capital(bare)
    return f"{chance.choice(_ADDED)}{_small(text)}"


def _with_clauses_moved(text: str, chance: random.Random) -> str:
    """*In mice, X reduced Y.* as *X reduced Y in mice.*"""
    found = re.match(
        r"((?:In|On|With|After|For|Among|By|When|Compared (?:to|with)|During|At|Under) [^,]{4,80}), ([^,]{15,200})\.$",
        text,
    )
    return f"{_capital(found[2])} {_small_preposition(found[1])}." if found else ""


def _small_preposition(text: str) -> str:
    return text[:1].lower() + text[1:]


def _in_other_tense(text: str, chance: random.Random) -> str:
    return _with_one_replaced(text, _TENSES, chance)


def _rounded(text: str, chance: random.Random) -> str:
    numbers = [found for found in _NUMBER.finditer(text) if "." in found[1] and float(found[1]) >= 1]
    if not numbers:
        return ""
    found = chance.choice(numbers)
    return f"{text[: found.start()]}about {round(float(found[1]))}{text[found.end() :]}"


def _shortened(text: str, chance: random.Random) -> str:
    """Without what is in brackets, or without a last clause."""
    bare = re.sub(r" \([^()]{1,80}\)", "", text)
    if bare != text:
        return bare
    found = re.match(
        r"(.{40,240}?), (?:which|where|whereas|while|thus|thereby|suggesting|indicating|with) [^,]{5,150}\.$", text
    )
    return f"{found[1]}." if found else ""


def _in_other_words(text: str, chance: random.Random) -> str:
    """With every word for which there is another replaced."""
    new = text
    for old, other in _SYNONYMS:
        new = re.sub(rf"\b{old}\b", other, new)
    return new if new != text else ""


_WORDINGS: Final[Mapping[str, Writer]] = {
    "clauses": _with_clauses_moved,
    "inflection": _in_other_tense,
    "rounded": _rounded,
    "opening": _with_other_opening,
    "shortened": _shortened,
    "other words": _in_other_words,
}


def _with_one_replaced(text: str, pairs: Sequence[tuple[str, str]], chance: random.Random) -> str:
    places: list[tuple[int, int, str]] = []
    for old, new in pairs:
        start = r"\b" if old[:1].isalnum() else ""
        end = r"\b" if old[-1:].isalnum() else ""
        places += [(found.start(), found.end(), new) for found in re.finditer(f"{start}{re.escape(old)}{end}", text)]
    if not places:
        return ""
    start_at, end_at, new = chance.choice(sorted(places))
    return f"{text[:start_at]}{new}{text[end_at:]}".replace("  ", " ")


def _other_figure(text: str, chance: random.Random) -> str:
    numbers = [
        found
        for found in _NUMBER.finditer(text)
        if not re.fullmatch(r"(?:19|20)\d\d", found[1]) and float(found[1]) >= 2
    ]
    if not numbers:
        return ""
    found = chance.choice(numbers)
    decimals = len(found[1].partition(".")[2])
    for _ in range(20):
        factor = chance.choice((0.4, 0.6, 0.75, 0.9, 1.12, 1.3, 1.5, 2.1))
        new = f"{float(found[1]) * factor:.{decimals}f}"
        if new not in text and float(new) != float(found[1]):
            return f"{text[: found.start()]}{new}{text[found.end() :]}"
    return ""


def _other_unit(text: str, chance: random.Random) -> str:
    places: list[tuple[int, int, str]] = []
    for number in _NUMBER.finditer(text):
        rest = text[number.end() :]
        for old, new in _UNITS:
            bare = rest[1:] if old == "%" and rest.startswith(" %") else rest
            if bare.startswith(old) and not bare[len(old) : len(old) + 1].isalnum():
                end = number.end() + len(rest) - len(bare) + len(old)
                places.append((number.end(), end, new))
    if not places:
        return ""
    start, end, new = chance.choice(sorted(set(places)))
    return f"{text[:start]}{new}{text[end:]}"


def _other_direction(text: str, chance: random.Random) -> str:
    both = (*_OPPOSITES, *((new, old) for old, new in _OPPOSITES[:40] if " " not in new))
    return _with_one_replaced(text, both, chance)


def _swapped_roles(text: str, chance: random.Random) -> str:
    opening = _OPENINGS.match(text)
    start = opening.end() if opening else 0
    marker = _MARKER.search(text, start)
    if marker is None:
        return ""
    before = text[start : marker.start()]
    rest = text[marker.end() :]
    ending = _PHRASE_END.search(rest)
    after = rest[: ending.start()] if ending else rest.rstrip(".")
    if not (0 < len(before.split()) <= _MAX_PHRASE_WORDS and 0 < len(after.split()) <= _MAX_PHRASE_WORDS):
        return ""
    if re.search(r"[,;:]|\b(?:it|they|this|which|that|we|these)\b", f"{before} {after}", re.I):
        return ""
    return f"{text[:start]}{_capital(after)}{marker[0]}{_small(before)}{rest[len(after) :]}"


def _other_population(text: str, chance: random.Random) -> str:
    return _with_one_replaced(text, _POPULATIONS, chance)


def _wider_scope(text: str, chance: random.Random) -> str:
    if chance.random() < 0.7 and (wider := _with_one_replaced(text, _WIDER, chance)):
        return wider
    # To leave out whom it was shown in is the usual way to say too much.
    group = re.search(
        r" (?:in|among|for|on) (?:[a-z-]+ ){0,3}(?:patients|mice|rats|children|adults|women|men|cells)\b[^,.]{0,40}",
        text,
    )
    if group and chance.random() < 0.5:
        return f"{text[: group.start()]}{text[group.end() :]}"
    return f"{chance.choice(_WIDE_OPENINGS)}{_small(text)}"


def _other_pair(text: str, chance: random.Random) -> str:
    found = _PAIR.search(text)
    if found is None or found[1] == found[3]:
        return ""
    if chance.random() < 0.5:
        return f"{text[: found.start()]}{found[3]}{found[2]}{found[1]}{text[found.end() :]}"
    others = [name for name in _LANGUAGE.split("|") if len(name) > 2 and name not in text]
    return f"{text[: found.start()]}{found[1]}{found[2]}{chance.choice(others)}{text[found.end() :]}"


def _invented_paper(text: str, chance: random.Random) -> str:
    family, other = chance.sample(_FAMILIES, 2)
    year = chance.randint(2009, 2023)
    opening = chance.choice(
        (
            f"{family} et al. ({year}) report that ",
            f"According to {family} and {other} ({year}), ",
            f"A study of {year} by {family} and colleagues found that ",
            f"As {family} and colleagues show, ",
        )
    )
    return f"{opening}{_small(text)}"


_PLANTERS: Final[Mapping[str, Writer]] = {
    "figure": _other_figure,
    "unit": _other_unit,
    "direction": _other_direction,
    "roles": _swapped_roles,
    "population": _other_population,
    "scope": _wider_scope,
    "language pair": _other_pair,
    "invented paper": _invented_paper,
}


def count_by_fault(sentences: Iterable[PlantedSentence]) -> Mapping[str, int]:
    """How many there are of each fault."""
    counts: defaultdict[str, int] = defaultdict(int)
    for sentence in sentences:
        counts[sentence.fault] += 1
    return counts
