"""Checks by rule: does a written sentence say what its quotes say, as far as wording tells.

Numbers, units, names, authors and years, pairs of languages, groups of people or animals, words such as *all*, the
direction of an effect and what is compared with what. Nothing here knows who wrote the sentence, nor asks a model.
A rule tells a fault only where the quotes hold nothing that could be meant: true sentences must stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from litterm.evidence.candidate_pool import content_stems
from litterm.evidence.language.concepts import Concept, rarity, stem_similarity, synonyms_of
from litterm.evidence.language.directions import COMPARED_WITH, ClaimDirections, word_direction
from litterm.evidence.language.stance import number_of
from litterm.model.written_answer import FaultKind, SentenceFault
from litterm.text.tokens import FUNCTION_WORDS, SENTENCE_WORDS, stem, words

if TYPE_CHECKING:
    from litterm.model.answer import AnswerSentence

_NUMBER: Final = re.compile(
    r"(?<![\w.,])[-−–]?(\d{1,9}(?:[.,]\d{1,9}){0,4})(?![\w]*[A-Za-z]{3})|(?<![\w.])(\.\d{1,9})\b"
)
_ANY_NUMBER: Final = re.compile(r"\d{1,9}(?:[.,]\d{1,9}){0,4}|(?<![\d.])\.\d{1,9}")
_QUOTE_NUMBERS: Final = re.compile(r"\s?\[\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,20}\]")
"""Numbers of quotes that a model repeats in its sentence."""
_ROUNDED: Final = re.compile(
    r"(?:about|almost|approximately|around|close to|just (?:over|under)|less than|more than|nearly|over|roughly|some"
    r"|under|up to|~|≈|≤|≥|<|>)\s?$"
)
_ROUNDED_SHARE: Final = 0.06
"""How far a number that is called rounded may lie from the one in the quote."""
_PERCENT: Final = re.compile(r"\s?(?:%|per ?cent\b)")
_UNITS: Final = {
    canonical: tuple(forms.split())
    for canonical, forms in {
        "%": "% percent percents",
        "points": "points point pp pts percentage-point percentage-points",
        "years": "year years yr yrs",
        "months": "month months mo",
        "weeks": "week weeks wk wks",
        "days": "day days d",
        "hours": "hour hours hr hrs h",
        "minutes": "minute minutes min mins",
        "seconds": "second seconds sec secs s",
        "milliseconds": "millisecond milliseconds ms msec",
        "kilograms": "kilogram kilograms kg",
        "grams": "gram grams g",
        "milligrams": "milligram milligrams mg",
        "micrograms": "microgram micrograms µg μg mcg ug",
        "nanograms": "nanogram nanograms ng",
        "kilometres": "kilometre kilometres kilometer kilometers km",
        "metres": "metre metres meter meters m",
        "centimetres": "centimetre centimetres centimeter centimeters cm",
        "millimetres": "millimetre millimetres millimeter millimeters mm",
        "micrometres": "micrometre micrometres micrometer micrometers µm μm um",
        "nanometres": "nanometre nanometres nanometer nanometers nm",
        "litres": "litre litres liter liters l",
        "decilitres": "decilitre deciliter dl",
        "millilitres": "millilitre millilitres milliliter milliliters ml",
        "microlitres": "microlitre microlitres microliter microliters µl μl",
        "moles": "mol mole moles",
        "millimolar": "mm millimolar",
        "micromolar": "µm μm micromolar",
        "nanomolar": "nm nanomolar",
        "mmol": "mmol",
        "µmol": "µmol μmol umol",
        "thousand": "k thousand",
        "million": "m million",
        "billion": "b bn billion",
        "kilobytes": "kb",
        "megabytes": "mb",
        "gigabytes": "gb",
        "hours per day": "hours/day h/day",
        "times": "times fold",
        "words": "word words",
        "tokens": "token tokens",
        "sentences": "sentence sentences",
        "documents": "document documents",
        "tweets": "tweet tweets",
        "patients": "patient patients",
        "languages": "language languages",
        "mice": "mouse mice",
        "rats": "rat rats",
    }.items()
    for forms in (forms,)
}
_UNITS_OF_FORM: Final = {
    form: frozenset(unit for unit, forms in _UNITS.items() if form in forms)
    for form in {form for forms in _UNITS.values() for form in forms}
}
_UNIT_AFTER: Final = re.compile(r"[\s-]{0,2}(%|[A-Za-zµμ]{1,14}(?:-points?)?)(/[A-Za-zµμ]{1,8})?")
_NAME: Final = re.compile(r"[A-Za-z0-9][\w+#]*(?:[-'’/.][\w+#]+)*")
_AUTHORS: Final = re.compile(
    r"\b([A-Z][\w'’-]{1,30})(?: (?:and|&) [A-Z][\w'’-]{1,30}| et al\.?)?,? \(?((?:19|20)\d\d)[a-z]?\)?"
    r"|\b([A-Z][\w'’-]{1,30}) et al\b|\bby ([A-Z][\w'’-]{1,30}) and (?:colleagues|co-workers)"
    r"|\b([A-Z][\w'’-]{1,30}) and (?:colleagues|co-workers)"
)
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_MONTHS: Final = frozenset(
    "january february march april may june july august september october november december in since until".split()
)
_LANGUAGES: Final = (
    "Afrikaans|Albanian|Amharic|Arabic|Armenian|Basque|Bengali|Bulgarian|Catalan|Chinese|Croatian|Czech|Danish|Dutch"
    "|English|Estonian|Finnish|French|Galician|Georgian|German|Greek|Gujarati|Hausa|Hebrew|Hindi|Hungarian|Icelandic"
    "|Igbo|Indonesian|Irish|Italian|Japanese|Kannada|Kazakh|Khmer|Korean|Latin|Latvian|Lithuanian|Malay|Malayalam"
    "|Maltese|Marathi|Mongolian|Nepali|Norwegian|Persian|Polish|Portuguese|Punjabi|Romanian|Russian|Sanskrit|Serbian"
    "|Sinhala|Slovak|Slovene|Slovenian|Somali|Spanish|Swahili|Swedish|Tagalog|Tamil|Telugu|Thai|Tibetan|Turkish"
    "|Ukrainian|Urdu|Uyghur|Vietnamese|Welsh|Xhosa|Yoruba|Zulu|[A-Z]{2}|[A-Z]?[a-z]"
)
_LANGUAGE_PAIR: Final = re.compile(
    rf"\b({_LANGUAGES})(?:\s?(?:-|–|—|→|⇒|->|=>|/)\s?(?:to-)?|\s(?:to|into)\s)({_LANGUAGES})\b"
)
_GROUPS: Final = tuple(
    frozenset(stem(word) for word in line.split())
    for line in (
        "adult adults grown-ups",
        "child children kid kids childhood paediatric pediatric schoolchildren preschooler preschoolers",
        "adolescent adolescents teenager teenagers teens adolescence youth youths",
        "infant infants newborn newborns neonate neonates neonatal baby babies",
        "elderly older elders seniors geriatric aged",
        "woman women female females postmenopausal maternal mother mothers girls pregnant",
        "man men male males boys paternal",
        "mouse mice murine",
        "rat rats",
        "dog dogs canine",
        "pig pigs porcine swine",
        "monkey monkeys macaque macaques primates",
        "zebrafish",
        "rabbit rabbits",
        "human humans people persons volunteers",
        "student students undergraduates pupils",
        "smoker smokers",
        "non-native learners",
        "athlete athletes",
        "veteran veterans soldiers",
        "nurse nurses",
    )
)
_ALL: Final = re.compile(
    r"\b(?:all|always|any|every|everywhere|never|none of|in each|universal(?:ly)?|invariabl[ey]|without exception"
    r"|prove[sd]?|proven|guarantees?|exclusively|solely|only|entirely|completely)\b"
)
_WIDE: Final = {
    "all": (
        "all",
        "every",
        "each",
        "any",
        "both",
        "entire",
        "whole",
        "across",
        "overall",
        "consistently",
        "none",
        "no",
    ),
    "only": ("only", "just", "solely", "alone", "exclusively", "merely", "no other", "limited", "single"),
    "prove": ("prove", "proof", "proven", "guarantee", "theorem", "demonstrat"),
    "complete": ("complete", "entire", "full", "whole", "total", "all", "purely", "fully"),
}
_WIDE_OF: Final = (
    (re.compile(r"only|solely|exclusively"), "only"),
    (re.compile(r"prove|guarantee"), "prove"),
    (re.compile(r"entirely|completely"), "complete"),
    (re.compile(r"."), "all"),
)
_PASSIVE: Final = frozenset("am are be been being is was were get gets got".split())
_MIN_SHARED: Final = 2
"""Content words on both sides together that tell that two things have changed places."""


@dataclass(frozen=True, slots=True)
class QuotedText:
    """What a sentence may be written from: a quote and what is known of its paper."""

    text: str
    title: str = ""
    authors: tuple[str, ...] = ()
    """Family names."""
    year: int | None = None


def quoted_texts(quotes: Iterable[AnswerSentence]) -> tuple[QuotedText, ...]:
    """The texts of quotes with their papers."""
    return tuple(
        QuotedText(
            quote.text,
            quote.paper.title,
            tuple(author.surname or author.given for author in quote.paper.authors),
            quote.paper.year,
        )
        for quote in quotes
    )


def check_by_rule(sentence: str, quotes: Sequence[QuotedText], question: str = "") -> tuple[SentenceFault, ...]:
    """What `sentence` says otherwise than `quotes`, the first of each kind; empty where no rule tells a fault.

    The words of `question` are the reader's own, and may stand in any sentence.
    """
    if not quotes:
        return (SentenceFault("quote", "it names no quote"),)
    text = without_quote_numbers(sentence)
    found: dict[FaultKind, SentenceFault] = {}
    for kind, told in _faults(text, quotes, question):
        found.setdefault(kind, SentenceFault(kind, told))
    return tuple(found.values())


def check_gap(gap: str, shown: Sequence[QuotedText], question: str) -> tuple[SentenceFault, ...]:
    """Numbers and names in `gap` that neither `question` nor anything that was shown holds."""
    known = _Known(shown, question)
    return tuple(SentenceFault(kind, told) for kind, told in (*_figure_faults(gap, known), *_name_faults(gap, known)))[
        :1
    ]


def without_quote_numbers(sentence: str) -> str:
    """`sentence` without `[3]`, which stands beside it anyway."""
    return _QUOTE_NUMBERS.sub("", sentence).strip()


def _faults(text: str, quotes: Sequence[QuotedText], question: str) -> Iterator[tuple[FaultKind, str]]:
    known = _Known(quotes, question)
    yield from _source_faults(text, quotes, known)
    yield from _figure_faults(text, known)
    yield from _unit_faults(text, quotes)
    yield from _pair_faults(text, known)
    yield from _name_faults(text, known)
    yield from _population_faults(text, known)
    yield from _scope_faults(text, known)
    yield from _direction_faults(text, quotes)
    yield from _role_faults(text, quotes)


class _Known:
    """All that the quotes, their titles and the question hold."""

    def __init__(self, quotes: Sequence[QuotedText], question: str) -> None:
        self.quotes = " ".join(quote.text for quote in quotes)
        self.text = " ".join([*(f"{quote.text} {quote.title}" for quote in quotes), question])
        self.lower = self.text.lower()
        self.words = words(self.text)
        self.stems = frozenset(map(stem, self.words))
        self.years = {str(quote.year) for quote in quotes if quote.year}
        self.authors = {author.lower() for quote in quotes for author in quote.authors}
        self.papers = len({quote.title or quote.text for quote in quotes})
        self.numbers = [_value(found[0]) for found in _ANY_NUMBER.finditer(self.text)]
        self.numbers += [float(spelled) for word in self.words if (spelled := number_of(word)).isdigit()]

    def has_number(self, written: str, *, is_rounded: bool, is_percent: bool) -> bool:
        value, decimals = _value(written), len(written.partition(".")[2])
        for number in self.numbers:
            for held in (number, 100 * number) if is_percent and number <= 1 else (number,):
                if abs(held - value) < 1e-9 or round(held, decimals) == value:
                    return True
                # "1,200" for 1,187, and "about 30" for 28.6.
                if is_rounded and abs(held - value) <= _ROUNDED_SHARE * max(abs(held), abs(value)):
                    return True
        return False


def _value(digits: str) -> float:
    whole, comma, rest = digits.replace("−", "-").rpartition(",")
    # 1,234 is a thousand, 0,5 a half.
    plain = (
        f"{whole.replace(',', '')}{rest}" if comma and len(rest.partition(".")[0]) == 3 else digits.replace(",", ".")
    )
    parts = plain.split(".")
    return float(".".join((parts[0] or "0", "".join(parts[1:])))) if len(parts) > 1 else float(plain)


def _figure_faults(text: str, known: _Known) -> Iterator[tuple[FaultKind, str]]:
    for found in _NUMBER.finditer(text):
        written = found[1] or found[2]
        before = text[: found.start()].lower()
        rounded, percent = bool(_ROUNDED.search(before)), bool(_PERCENT.match(text, found.end()))
        if written in known.years and _YEAR.fullmatch(written):
            continue
        if not known.has_number(written, is_rounded=rounded, is_percent=percent):
            yield "figure", f"{written} is in none of its quotes"
    listed = words(text)
    for place, word in enumerate(listed):
        number = "" if word[:1].isdigit() else number_of(word)
        if not number.isdigit() or (number == str(known.papers) and _counts_papers(listed[place + 1 : place + 4])):
            continue
        if float(number) not in known.numbers:
            yield "figure", f"{word} is in none of its quotes"


def _counts_papers(after: Sequence[str]) -> bool:
    return not {"papers", "studies", "trials", "works", "reports", "experiments", "sources"}.isdisjoint(after)


def _units_after(text: str, end: int) -> tuple[frozenset[str], str, str]:
    found = _UNIT_AFTER.match(text, end)
    if found is None:
        return frozenset(), "", ""
    return _UNITS_OF_FORM.get(found[1].lower(), frozenset()), (found[2] or "").lower(), found[0].strip()


def _unit_faults(text: str, quotes: Sequence[QuotedText]) -> Iterator[tuple[FaultKind, str]]:
    held: dict[float, list[tuple[frozenset[str], str]]] = {}
    for quote in quotes:
        for found in _ANY_NUMBER.finditer(quote.text):
            units, per, _ = _units_after(quote.text, found.end())
            held.setdefault(_value(found[0]), []).append((units, per))
    for found in _NUMBER.finditer(text):
        written = found[1] or found[2]
        units, per, shown = _units_after(text, found.end())
        same = held.get(_value(written)) or [
            each
            for number, own in held.items()
            if round(number, len(written.partition(".")[2])) == _value(written)
            for each in own
        ]
        if not units or not same or not all(own for own, _ in same):
            continue
        if not any(units & own and (not per or not own_per or per == own_per) for own, own_per in same):
            yield "unit", f"{written} {shown} has another unit in its quotes"


def _pairs(text: str) -> set[tuple[str, str]]:
    return {(found[1].lower(), found[2].lower()) for found in _LANGUAGE_PAIR.finditer(text)}


def _pair_faults(text: str, known: _Known) -> Iterator[tuple[FaultKind, str]]:
    held = _pairs(known.quotes)
    for first, second in sorted(_pairs(text)):
        if (first, second) not in held and (second, first) in held:
            yield "language pair", f"its quotes go from {second.title()} to {first.title()}"


def _source_faults(text: str, quotes: Sequence[QuotedText], known: _Known) -> Iterator[tuple[FaultKind, str]]:
    for found in _AUTHORS.finditer(text):
        name = next(filter(None, (found[1], found[3], found[4], found[5])))
        if name.lower() in _MONTHS or (found[2] and name.lower() in known.lower and found[2] in known.lower):
            continue
        if not any(name.lower() in author or author in name.lower() for author in known.authors):
            # A citation that stands in the quote itself may be repeated.
            if name not in known.quotes:
                yield "source", f"{name} is no author of the papers quoted"
        elif found[2] and found[2] not in known.years and found[2] not in known.quotes:
            yield "source", f"the papers quoted are not of {found[2]}"


def _name_faults(text: str, known: _Known) -> Iterator[tuple[FaultKind, str]]:
    authors = {name.lower() for found in _AUTHORS.finditer(text) for name in found.groups() if name}
    initials = "".join(word[0] for word in known.words)
    for found in _NAME.finditer(text):
        is_first = not text[: found.start()].strip(" \"'“‘(") or text[: found.start()].rstrip()[-1:] in ".:?!"
        for part in re.split(r"[-/]", found[0]):
            letters = [letter for letter in part if letter.isalpha()]
            capitals = sum(letter.isupper() for letter in letters)
            is_name = bool(letters) and (
                (capitals and not is_first) or capitals > 1 or (any(map(str.isdigit, part)) and capitals)
            )
            if not is_name or len(part) < 2 or part.lower() in authors or part in ("II", "III", "IV", "PhD"):
                continue
            if not _holds_name(part, known, initials):
                yield "name", f"{part} is in none of its quotes"


def _holds_name(part: str, known: _Known, initials: str) -> bool:
    lower = part.lower().rstrip("'’s") if part.lower().endswith(("'s", "’s")) else part.lower()
    if lower in known.lower or any(author in lower or lower in author for author in known.authors if author):
        return True
    forms = [stem(word) for word in words(part)]
    # "Germany" for "German", "BERTs" for "BERT".
    if forms and all(
        any(form == other or (len(form) > 3 and stem_similarity(form, other) >= 0.75) for other in known.stems)
        for form in forms
    ):
        return True
    return part.isupper() and len(part) > 1 and lower in initials


def _population_faults(text: str, known: _Known) -> Iterator[tuple[FaultKind, str]]:
    for word in words(text):
        form = stem(word)
        for group in _GROUPS:
            if form in group and group.isdisjoint(known.stems):
                yield "population", f"its quotes do not speak of {word}"


def _scope_faults(text: str, known: _Known) -> Iterator[tuple[FaultKind, str]]:
    for found in _ALL.finditer(text.lower()):
        family = next(name for pattern, name in _WIDE_OF if pattern.match(found[0]))
        if not any(word in known.lower for word in _WIDE[family]) and found[0] not in known.lower:
            yield "scope", f"its quotes do not say “{found[0]}”"


def _direction_faults(text: str, quotes: Sequence[QuotedText]) -> Iterator[tuple[FaultKind, str]]:
    claim = ClaimDirections(text, _concepts(text))
    if not claim.count:
        return
    compared = [claim.compare(quote.text, quote.title) for quote in quotes]
    if any(each.contradicted for each in compared) and not any(
        each.confirmed >= max(other.contradicted for other in compared) for each in compared
    ):
        yield "direction", "its quotes say that it goes the other way"
        return
    own, held = _plain_directions(text), set().union(*(_plain_directions(quote.text) for quote in quotes))
    for direction, other in (("up", "down"), ("down", "up")):
        if direction in own and direction not in held and other in held and other not in own:
            yield "direction", f"its quotes say {other}, not {direction}"
    if "none" in own and not held & {"none", "not up", "not down"} and held & {"up", "down", "some"}:
        yield "direction", "its quotes do not deny it"


def _plain_directions(text: str) -> set[str]:
    listed = words(text)
    return {direction for place in range(len(listed)) if (direction := word_direction(listed, place)) is not None}


def _concepts(text: str) -> list[Concept]:
    concepts: dict[str, Concept] = {}
    for word in words(text):
        form = stem(word)
        if form not in concepts and word not in FUNCTION_WORDS and len(word) > 1:
            forms = {form: 1.0} | dict.fromkeys(synonyms_of(form), 0.8)
            concepts[form] = Concept(form, word, rarity(form), forms)
    return list(concepts.values())


def _role_faults(text: str, quotes: Sequence[QuotedText]) -> Iterator[tuple[FaultKind, str]]:
    for quote in quotes:
        for own, held in _arm_pairs(text, quote.text):
            before, after = own[0] - own[1], own[1] - own[0]
            held_before, held_after = held[0] - held[1], held[1] - held[0]
            straight = len(before & held_before) + len(after & held_after)
            swapped = min(len(before & held_after), len(after & held_before))
            if swapped and len(before & held_after) + len(after & held_before) >= _MIN_SHARED and straight == 0:
                yield "roles", "what is compared, or what acts on what, stands the other way round in its quotes"
                return


Arms = tuple[frozenset[str], frozenset[str]]


def _arm_pairs(text: str, quote: str) -> Iterator[tuple[Arms, Arms]]:
    """What stands on both sides of a comparison, or of a verb that both texts have."""
    own, held = COMPARED_WITH.search(text.lower()), COMPARED_WITH.search(quote.lower())
    if own and held:
        yield _arms(text, own.start(), own.end()), _arms(quote, held.start(), held.end())
    own_verbs, held_verbs = _verbs(text), _verbs(quote)
    for form in own_verbs.keys() & held_verbs.keys():
        yield own_verbs[form], held_verbs[form]


_ACTING: Final = re.compile(
    r"(?:caus|outperform|exceed|surpass|lead|led|induc|predict|increas|reduc|improv|inhibit|activat|promot|prevent|affect"
    r"|influenc|regulat|suppress|stimulat|enhanc|decreas|impair|trigger|drive|mediat|modulat|determin|correct|beat)\w*"
)


def _verbs(text: str) -> dict[str, Arms]:
    """By stem of a verb, what stands before and after it within its clause, turned round for a passive."""
    found: dict[str, Arms] = {}
    for clause in re.split(r"[;:,]", text):
        places = [place for place in re.finditer(r"[A-Za-z]+", clause) if _ACTING.fullmatch(place[0].lower())]
        if len(places) != 1:
            continue
        place = places[0]
        before, after = _arms(clause, place.start(), place.end())
        preceding = clause[: place.start()].lower().split()[-2:]
        follows_by = re.match(r"(?:\s\w+){0,2}\sby\b", clause[place.end() :])
        is_passive = bool(follows_by) and not _PASSIVE.isdisjoint(preceding)
        found[stem(place[0])] = (after, before) if is_passive else (before, after)
    return found


def _arms(text: str, start: int, end: int) -> Arms:
    return _things(text[:start]), _things(text[end:])


def _things(text: str) -> frozenset[str]:
    return frozenset(form for form in content_stems(text) if form not in SENTENCE_WORDS and not form.isdigit())
