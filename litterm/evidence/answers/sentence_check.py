"""Checks by rule: does a written sentence say what its quotes say, as far as wording tells.

Numbers, units, names, authors and years, pairs of languages, groups of people or animals, words such as *all*, the
direction of an effect and what is compared with what. Nothing here knows who wrote the sentence, nor asks a model.
A rule tells a fault only where the quotes hold nothing that could be meant: true sentences must stand.
"""

from __future__ import annotations

import re
from collections import defaultdict
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
    r"(?<![\w.,])(?<![A-Za-z)][-/+])[-−–]?(\d{1,9}(?:[.,]\d{1,9}){0,4})(?![\w]*[A-Za-z]{3})|(?<![\w.])(\.\d{1,9})\b"
)
"""A figure, not a part of a name such as *interleukin-2*."""
_NAMED_NUMBER: Final = re.compile(r"\b(?:type|phase|grade|stage|class|task|version|chapter|part|level) $")
"""Before a number that is part of a name, which may stand elsewhere in the paper."""
_ANY_NUMBER: Final = re.compile(r"\d{1,9}(?:[.,]\d{1,9}){0,4}|(?<![\d.])\.\d{1,9}")
_QUOTE_NUMBERS: Final = re.compile(r"\s?\[\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,20}\]")
"""Numbers of quotes that a model repeats in its sentence."""
_ROUNDED: Final = re.compile(
    r"(?:about|almost|approximately|around|close to|just (?:over|under)|less than|more than|nearly|over|roughly|some"
    r"|under|up to|~|≈|≤|≥|<|>)\s?$"
)
_BOUND: Final = re.compile(r"(?:(more than|over|at least|above|>|≥)|(?:less than|under|up to|at most|below|<|≤)) ?$")
_BOUND_SHARE: Final = 0.2
"""How far a bound such as *more than 1,000* may lie from the number in the quote."""
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
        "student students undergraduates pupils",
        "smoker smokers",
        "non-native learners",
        "athlete athletes",
        "veteran veterans soldiers",
        "nurse nurses",
        "physician physicians doctor doctors clinician clinicians surgeon surgeons",
        "teacher teachers",
        "expert experts specialists",
        "healthy",
        "tweet tweets twitter microblog",
        "legal law court courts",
        "financial finance",
    )
)
_HUMANS: Final = frozenset(map(stem, "human humans people persons individuals".split()))
_PEOPLE: Final = _HUMANS | frozenset(
    stem(word)
    for word in (
        "adults athletes boys children clinical cohort doctors elderly girls infants inpatients learners males females"
        " men mothers nurses outpatients participants patients pupils readers respondents smokers speakers students"
        " subjects teachers users volunteers women workers"
    ).split()
)
_ALL: Final = re.compile(
    r"\b(?:all|always|any|every|every(?:one|body|where)|never|none of|in each|universal(?:ly)?|invariabl[ey]"
    r"|without exception|prove[sd]?|proven|guarantees?|certain(?:ly)?|definitely|exclusively|solely|only|entirely"
    r"|completely)\b"
)
_WIDE: Final = (
    (
        re.compile(r"only|solely|exclusively"),
        re.compile(r"\b(?:only|just|solely|alone|exclusive(?:ly)?|merely|no other|limited|single|sole|mere)\b"),
    ),
    (
        re.compile(r"prove|guarantee|certain|definite"),
        re.compile(r"\b(?:prov(?:e|es|ed|en|ing)|proof|guarantee\w*|theorem|certain\w*|definite\w*|demonstrat\w*)\b"),
    ),
    (
        re.compile(r"entirely|completely"),
        re.compile(r"\b(?:complete\w*|entire\w*|full\w*|whole|total\w*|all|pure\w*)\b"),
    ),
    (
        re.compile(r"never|none"),
        re.compile(r"\b(?:never|none|no|neither|without)\b"),
    ),
    (
        re.compile(r"any\b"),
        re.compile(r"\b(?:any|no|not|all|every|each|either|without|neither)\b"),
    ),
    (
        re.compile(r"."),
        re.compile(
            r"\b(?:all|every\w*|each|any|both|entire|whole|consistent(?:ly)?|always|universal\w*|invariabl[ey]|overall"
            r"|100 ?%|none|never)"
        ),
    ),
)
"""What a word of the sentence claims, and what its quotes must hold for it."""
_MODAL: Final = re.compile(r"\b(?:may|might|could)(?: (?:also|not|be|have|been|even|potentially)){0,3} (\w+)")
_HEDGE: Final = re.compile(
    r"\b(?:may|might|could|can|would|should|possibl[ey]|perhaps|potential\w*|suggest\w*|likely|unlikely|seem\w*|appear\w*"
    r"|hypothes\w*|probabl[ey]|tend\w*|uncertain|unclear|if|whether|expect\w*|thought|believ\w*|indicat\w*)\b"
)
_CAUSE: Final = re.compile(r"\b(?:cause|causes|caused|causing|leads? to|led to|due to|because of|the reason)\b")
_CAUSE_IN_QUOTE: Final = re.compile(
    r"\b(?:caus\w*|lead\w*|led|due|because|reason\w*|induc\w*|result(?:s|ed|ing)? (?:in|from)|trigger\w*|produc\w*"
    r"|responsib\w*|etiolog\w*|aetiolog\w*|effects?|effect of|attribut\w*|explain\w*|yield\w*|via|by)\b"
)
_LINK: Final = re.compile(r"\b(?:associat|correlat|link|relat)\w*")
_DENYING_PREFIX: Final = re.compile(r"(?:un|in|im|ir|il|dis|non)-?(?=\w{5})")
_NOT: Final = frozenset(
    "cannot failed fails fail neither never no none nor not unable without lack lacks lacked hardly".split()
)
_NOT_WORDS: Final = 3
"""A negation denies a word that follows within so many words."""
_MIN_COMPARED_SHARE: Final = 0.6
"""Part of the sentence that a quote must hold for its directions to be compared with those of the sentence."""
_MIN_SHARE_OF_OPPOSITE: Final = 0.4
_MIN_SHARE_OF_DENIAL: Final = 0.6
"""Part of the words of the sentence that its quotes must hold, so that both speak of the same."""
_NEAR: Final = 2
"""Content words on either side of a word of a direction that tell what it is said of."""
_PASSIVE: Final = frozenset("am are be been being is was were get gets got".split())
_ARM_WORDS: Final = 3
"""Content words on either side of a comparison or a verb that tell what is compared, or who acts on whom."""


@dataclass(frozen=True, slots=True)
class QuotedText:
    """What a sentence may be written from: a quote and what is known of its paper."""

    text: str
    title: str = ""
    authors: tuple[str, ...] = ()
    """Family names."""
    year: int | None = None
    context: str = ""
    """More of the paper that was shown, such as its abstract: whom it studied, and what its abbreviations mean."""


def quoted_texts(quotes: Iterable[AnswerSentence], shown: Iterable[AnswerSentence] = ()) -> tuple[QuotedText, ...]:
    """The texts of quotes with their papers; of `shown`, the quotes of the same paper are the context."""
    of_paper: defaultdict[str, list[str]] = defaultdict(list)
    for each in shown:
        of_paper[each.paper.id].append(each.text)
    return tuple(
        QuotedText(
            quote.text,
            quote.paper.title,
            tuple(author.surname or author.given for author in quote.paper.authors),
            quote.paper.year,
            " ".join(of_paper[quote.paper.id]),
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
        context = " ".join(dict.fromkeys(quote.context for quote in quotes))
        self.around = f"{self.text} {context}"
        """Names and groups may come from elsewhere in the same papers; figures may not."""
        self.lower = self.around.lower()
        self.words = words(self.text)
        self.words_around = words(self.around)
        self.stems = frozenset(map(stem, self.words_around))
        self.years = {str(quote.year) for quote in quotes if quote.year}
        self.authors = {author.lower() for quote in quotes for author in quote.authors}
        self.papers = len({quote.title or quote.text for quote in quotes})
        self.numbers = [_value(found[0]) for found in _ANY_NUMBER.finditer(self.text)]
        self.numbers += [float(spelled) for word in self.words if (spelled := number_of(word)).isdigit()]

    def is_within(self, written: str, *, is_least: bool) -> bool:
        """Whether a number lies on the right side of a bound, and near it."""
        value = _value(written)
        return any(
            abs(number - value) <= _BOUND_SHARE * number and (number >= value if is_least else number <= value)
            for number in self.numbers
        )

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
        if not _is_known_figure(text, found, known):
            yield "figure", f"{found[1] or found[2]} is in none of its quotes"
    listed = words(text)
    for place, word in enumerate(listed):
        number = "" if word[:1].isdigit() else number_of(word)
        if not number.isdigit() or (number == str(known.papers) and _counts_papers(listed[place + 1 : place + 4])):
            continue
        if float(number) not in known.numbers:
            yield "figure", f"{word} is in none of its quotes"


def _is_known_figure(text: str, found: re.Match[str], known: _Known) -> bool:
    written, before = found[1] or found[2], text[: found.start()].lower()
    if written in known.years and _YEAR.fullmatch(written):
        return True
    if _NAMED_NUMBER.search(before) and re.search(rf"\b{re.escape(written)}\b", known.around):
        return True
    bound = _BOUND.search(before)
    if bound and known.is_within(written, is_least=bool(bound[1])):
        return True
    rounded, percent = bool(_ROUNDED.search(before)), bool(_PERCENT.match(text, found.end()))
    return known.has_number(written, is_rounded=rounded, is_percent=percent)


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
        decimals = len(written.partition(".")[2])
        same = [each for number, own in held.items() if round(number, decimals) == _value(written) for each in own]
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
    initials = "".join(word[0] for word in known.words_around)
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
        # Who are patients, adults or women are people and humans, too.
        groups = [_PEOPLE] if form in _HUMANS else [group for group in _GROUPS if form in group]
        if any(group.isdisjoint(known.stems) for group in groups):
            yield "population", f"its quotes do not speak of {word}"


def _scope_faults(text: str, known: _Known) -> Iterator[tuple[FaultKind, str]]:
    lower, quotes = text.lower(), known.quotes.lower()
    for found in _ALL.finditer(lower):
        if re.search(rf"\b{re.escape(found[0])}\b", quotes):
            continue
        if not next(held for claimed, held in _WIDE if claimed.match(found[0])).search(quotes):
            yield "scope", f"its quotes do not say “{found[0]}”"
    if not _HEDGE.search(lower):
        stems = frozenset(map(stem, words(text)))
        for found in _MODAL.finditer(quotes):
            # What may happen is said to happen.
            if stem(found[1]) in stems:
                yield "scope", f"its quotes say “{found[0]}”"
    if _CAUSE.search(lower) and _LINK.search(quotes) and not _CAUSE_IN_QUOTE.search(quotes):
        yield "scope", "its quotes tell of a link, not of a cause"


def _direction_faults(text: str, quotes: Sequence[QuotedText]) -> Iterator[tuple[FaultKind, str]]:
    own, held = _Directions.of(text), _Directions.of(" . ".join(quote.text for quote in quotes))
    if told := own.contrary(held):
        yield "direction", told
        return
    claim = ClaimDirections(text, _concepts(text))
    if not claim.count:
        return
    compared = [claim.compare(quote.text, quote.title) for quote in quotes]
    compared = [each for each in compared if each.share >= _MIN_COMPARED_SHARE]
    if any(each.contradicted for each in compared) and not any(
        each.confirmed >= max(other.contradicted for other in compared) for each in compared
    ):
        yield "direction", "its quotes say that it goes the other way"
        return
    is_said = bool(held.all & {"up", "down", "some"}) and not held.all & {"none", "not up", "not down"}
    if "none" in own.all and is_said and _NOT.isdisjoint(held.words):
        yield "direction", "its quotes do not deny it"


@dataclass(frozen=True, slots=True)
class _Directions:
    """Which way things go in a text, by the content words beside each word of a direction, and what is denied."""

    all: frozenset[str]
    beside: dict[str, frozenset[str]]
    """By `up` and `down`, the nearest content words of each place."""
    words: frozenset[str]
    denied: frozenset[str]
    """Stems that follow a negation everywhere in the text."""
    affirmed: frozenset[str]
    """Stems that do so nowhere."""

    @classmethod
    def of(cls, text: str) -> _Directions:
        listed = words(text)
        beside: dict[str, set[str]] = {"up": set(), "down": set()}
        everything: set[str] = set()
        content = [
            stem(word) if word not in FUNCTION_WORDS and word not in SENTENCE_WORDS and len(word) > 1 else ""
            for word in listed
        ]
        denied, affirmed = set[str](), set[str]()
        for place, word in enumerate(listed):
            before = listed[max(0, place - _NOT_WORDS) : place]
            if content[place] and not word[0].isdigit():
                (affirmed if _NOT.isdisjoint(before) else denied).add(content[place])
            direction = word_direction(listed, place)
            if direction is None:
                continue
            everything.add(direction)
            if direction in beside:
                near = [form for form in reversed(content[:place]) if form][:_NEAR]
                near += [form for form in content[place + 1 :] if form][:_NEAR]
                beside[direction].update(near)
        return cls(
            frozenset(everything),
            {direction: frozenset(near) for direction, near in beside.items()},
            frozenset(listed),
            frozenset(denied - affirmed),
            frozenset(affirmed - denied),
        )

    def contrary(self, held: _Directions) -> str:
        """What `held`, of the quotes, says the other way round; empty where nothing does."""
        return self._opposite_direction(held) or self._opposite_word(held) or self._denial(held)

    def _opposite_direction(self, held: _Directions) -> str:
        for direction, other in (("up", "down"), ("down", "up")):
            own = self.beside[direction] - self.beside[other]
            if self._share(held) < _MIN_SHARE_OF_OPPOSITE:
                continue
            if own & (held.beside[other] - held.beside[direction]) and not own & held.beside[direction]:
                return f"its quotes say that it goes {other}, not {direction}"
        return ""

    def _opposite_word(self, held: _Directions) -> str:
        """*Ineffective* for *effective*, or the other way round."""
        for one, another in ((self, held), (held, self)):
            for word in sorted(one.words - another.words):
                bare = _DENYING_PREFIX.sub("", word, count=1)
                if bare != word and bare in another.words and bare not in one.words:
                    return f"its quotes say “{bare if one is self else word}”"
        return ""

    def _denial(self, held: _Directions) -> str:
        # Only where one of the two has no negation at all: one reaches further than a few words.
        if not self._is_turned(held) or self._share(held) < _MIN_SHARE_OF_DENIAL:
            return ""
        if self.denied & held.affirmed:
            return "its quotes do not deny it"
        return "its quotes deny it" if self.affirmed & held.denied else ""

    def _share(self, held: _Directions) -> float:
        """Part of the content words of this text that the other one holds."""
        own = self.denied | self.affirmed
        return len(own & (held.denied | held.affirmed)) / max(1, len(own))

    def _is_turned(self, held: _Directions) -> bool:
        """Whether one text has negations and the other, which shares most of its words, has none."""
        return _NOT.isdisjoint(self.words) != _NOT.isdisjoint(held.words)


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
        pairs = list(_arm_pairs(text, quote.text))
        if any(map(_is_straight, pairs)):
            continue
        if any(map(_is_swapped, pairs)):
            yield "roles", "what is compared, or what acts on what, stands the other way round in its quotes"
            return


def _is_straight(pair: tuple[Arms, Arms]) -> bool:
    (before, after), (held_before, held_after) = pair
    return bool(before & held_before - held_after) and bool(after & held_after - held_before)


def _is_swapped(pair: tuple[Arms, Arms]) -> bool:
    (before, after), (held_before, held_after) = pair
    return bool((before - after) & (held_after - held_before)) and bool((after - before) & (held_before - held_after))


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
    """By stem of a verb, the things nearest before and after it, turned round for a passive; verbs that stand once."""
    found: dict[str, Arms] = {}
    repeated: set[str] = set()
    for place in re.finditer(r"[A-Za-z]+", text):
        if not _ACTING.fullmatch(place[0].lower()):
            continue
        form = stem(place[0])
        if form in found:
            repeated.add(form)
        before, after = _arms(text, place.start(), place.end())
        preceding = text[: place.start()].lower().split()[-2:]
        follows_by = re.match(r"(?:\s\w+){0,2}\sby\b", text[place.end() :])
        is_passive = bool(follows_by) and not _PASSIVE.isdisjoint(preceding)
        found[form] = (after, before) if is_passive else (before, after)
    return {form: arms for form, arms in found.items() if form not in repeated}


def _arms(text: str, start: int, end: int) -> Arms:
    """The nearest things on both sides, within their clause."""
    before, after = re.split(r"[;:,]", text[:start])[-1], re.split(r"[;:,]", text[end:])[0]
    return frozenset(_things(before)[-_ARM_WORDS:]), frozenset(_things(after)[:_ARM_WORDS])


def _things(text: str) -> list[str]:
    return [form for form in content_stems(text) if form not in SENTENCE_WORDS and not form.isdigit()]
