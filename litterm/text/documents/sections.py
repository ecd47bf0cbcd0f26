"""Splits a printed heading into number and title, and classifies its section."""

from __future__ import annotations

import re
from typing import Final

from litterm.model.document import SectionKind
from litterm.text.tokens import fold

_NUMBERED: Final = re.compile(
    r"(?:(?:section|sec\.|chapter|part|§)\s*)?"
    r"(?P<number>"
    r"(?:[A-Z]\.)?\d{1,2}(?:\s?\.\s?\d{1,2}){1,4}"  # 4.2, A.1.3
    r"|[A-Z]\.?\d{1,2}(?:\.\d{1,2}){0,3}"  # A1, B.2
    r"|\d{1,2}"
    r"|[IVX]{1,6}"
    r"|[A-Z](?=[.):]))"
    r"(?P<stop>\s?[.):]|\s?[–—-](?=\s))?"
    r"(?P<gap>\s*)(?P<title>.*)",
    re.IGNORECASE | re.DOTALL,
)
_APPENDIX: Final = re.compile(
    r"(?P<word>appendix|annex|supplement)\s+(?P<number>[A-Z]|\d{1,2})\s*[.:–—-]?\s+(?P<title>.*)",
    re.I,
)
_ROMAN: Final = re.compile(r"(?:X{0,2})(?:IX|IV|V?I{0,3})")
_WORDS: Final = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_MAX_HEADING_WORDS: Final = 12
"""Longer headings are statements of results or subjects; their words say nothing about the section's purpose."""

_KINDS: Final[tuple[tuple[SectionKind, str], ...]] = (
    ("abstract", "abstract abstracts resume zusammenfassung kurzfassung resumen περιληψη riassunto resumo"),
    (
        "introduction",
        """introduction introductory background motivation preliminaries preliminary overview einleitung einfuhrung
        hintergrund introduccion antecedentes introduzione introducao εισαγωγη contexte objectives objective aims aim
        hypotheses hypothesis rationale""",
    ),
    (
        "methods",
        """method methods methodology methodologies materials procedure procedures protocol protocols approach
        approaches model models architecture algorithm algorithms design participants subjects patients data dataset
        datasets corpus corpora setup implementation experimental statistical measures instruments sampling framework
        theory
        formulation methode methodes methodik methoden verfahren daten materiel materiales materiaux metodo metodos
        metodologia metodologie materiali μεθοδολογια μεθοδος μεθοδοι υλικο υλικα participant population training
        annotation preprocessing task tasks system""",
    ),
    (
        "results",
        """result results finding findings experiment experiments evaluation evaluations analysis analyses ablation
        ablations observations resultat resultats ergebnisse ergebnis experimente auswertung resultado resultados
        risultati experiences αποτελεσματα ευρηματα comparison performance benchmarks outcomes outcome case""",
    ),
    (
        "discussion",
        """discussion discussions limitations limitation implications interpretation interpretations diskussion
        discusion discussione discussao συζητηση strengths significance threats""",
    ),
    (
        "conclusion",
        """conclusion conclusions concluding summary outlook perspectives perspective recommendations fazit
        schlussfolgerung schlussfolgerungen schluss ausblick conclusiones conclusioni conclusao conclusoes συμπερασματα
        συμπερασμα closing""",
    ),
    (
        "back",
        """acknowledgment acknowledgments acknowledgement acknowledgements references bibliography appendix appendices
        supplementary supplement supplemental supporting funding contributions contributors contribution authors author
        competing conflict conflicts interests disclosure disclosures declaration declarations ethics ethical consent
        availability abbreviations glossary notes footnotes endnotes nomenclature remerciements bibliographie annexe
        annexes danksagung literatur literaturverzeichnis anhang agradecimientos referencias bibliografia anexo
        ringraziamenti riferimenti βιβλιογραφια ευχαριστιες παραρτημα copyright licence license reviewers
        peer-review endnote""",
    ),
)
_JOINING_WORDS: Final = frozenset("and of the et und y e og i our my s".split())
_KIND_OF: Final[dict[str, SectionKind]] = {word: kind for kind, words in _KINDS for word in words.split()}

_PHRASES: Final[tuple[tuple[str, SectionKind], ...]] = (
    ("related work", "introduction"),
    ("previous work", "introduction"),
    ("prior work", "introduction"),
    ("literature review", "introduction"),
    ("etat de l'art", "introduction"),
    ("travaux connexes", "introduction"),
    ("verwandte arbeiten", "introduction"),
    ("stand der forschung", "introduction"),
    ("trabajos relacionados", "introduction"),
    ("estado del arte", "introduction"),
    ("future work", "conclusion"),
    ("future directions", "conclusion"),
    ("future research", "conclusion"),
    ("research question", "introduction"),
    ("problem statement", "introduction"),
    ("experimental results", "results"),
    ("experimental evaluation", "results"),
    ("error analysis", "results"),
    ("data analysis", "methods"),
    ("statistical analys", "methods"),
    ("data availability", "back"),
    ("data and code availability", "back"),
    ("code availability", "back"),
    ("availability of data", "back"),
    ("data sharing", "back"),
    ("author summary", "abstract"),
    ("broader impact", "back"),
    ("ethics", "back"),
    ("conflict of interest", "back"),
    ("supplementary", "back"),
    ("supporting information", "back"),
    ("additional information", "back"),
    ("pre-publication history", "back"),
)
_TYPES: Final[dict[str, SectionKind]] = {
    "intro": "introduction",
    "introduction": "introduction",
    "background": "introduction",
    "materials": "methods",
    "methods": "methods",
    "subjects": "methods",
    "results": "results",
    "cases": "results",
    "discussion": "discussion",
    "conclusions": "conclusion",
    "conclusion": "conclusion",
    "concl": "conclusion",
    "abstract": "abstract",
    "title": "front",
    "front": "front",
    "ref": "back",
    "references": "back",
    "ack_fund": "back",
    "ack": "back",
    "supplementary-material": "back",
    "suppl": "back",
    "comp_int": "back",
    "auth_cont": "back",
    "abbr": "back",
    "appendix": "back",
    "data-availability": "back",
}


def heading_parts(raw: str) -> tuple[str, str]:
    """Number and title of a heading: `4.2` and `Data` of `4.2. Data`; the number is empty where there is none.

    A heading that only looks numbered (`5 years of parsing`, `I think`) stays whole.
    """
    text = " ".join(raw.split())
    if match := _APPENDIX.fullmatch(text):
        return f"{match['word']} {match['number']}", match["title"]
    match = _NUMBERED.fullmatch(text)
    if match is None or not _is_number(match):
        return "", text
    return match["number"].replace(" ", ""), match["title"].strip()


def _is_number(match: re.Match[str]) -> bool:
    number, title, stop = match["number"], match["title"], bool(match["stop"])
    if title and not (match["gap"] or stop):
        return False
    if number.isalpha():
        # Letters count only where they are capitals and set off: `A. Data`, `IV. RESULTS`, but also `II Results`.
        if not number.isupper() or not title or title[0].islower():
            return False
        return stop or (len(number) > 1 and bool(_ROMAN.fullmatch(number)) and title[:1].isupper())
    if number.isdigit():
        return stop or not title or not title[0].islower()
    # `A1 Proofs`, but neither `T4 assays` nor `C4.5 trees`.
    return number[0].isdigit() or "." in number[1:2] or (number[0] in "ABCDEFGH" and title[:1].isupper())


def classify(title: str, parent: SectionKind = "other") -> SectionKind:
    """The kind of a section, by the first word of its heading that names one; else `other`.

    Inside a section whose purpose is known (`parent`) only a heading made of telling words alone says otherwise:
    `Limitations`, but not `Analysis of the limitations of growth`. English, with the common headings of French,
    German, Spanish, Italian, Portuguese and Greek.
    """
    kind = _kind_by_words(title)
    if parent == "other" or (kind != "other" and _is_joined_kinds(title)):
        return kind
    return parent


def _is_joined_kinds(title: str) -> bool:
    words = [word for word in _WORDS.findall(fold(title)) if word not in _JOINING_WORDS]
    return all(word in _KIND_OF for word in words)


def _kind_by_words(title: str) -> SectionKind:
    text = fold(title).replace("’", "'")
    # Before single words: the `analysis` of `data analysis` would make it a section of results.
    for phrase, kind in _PHRASES:
        if phrase in text:
            return kind
    words = _WORDS.findall(text)
    if len(words) > _MAX_HEADING_WORDS:
        return "other"
    for word in words:
        if kind_of_word := _KIND_OF.get(word):
            return kind_of_word
    return "other"


def kind_of_type(section_type: str) -> SectionKind:
    """The kind that a source states: JATS `sec-type` (`materials|methods`) or BioC `section_type` (`INTRO`)."""
    for part in re.split(r"[|\s]", section_type.lower()):
        if part in _TYPES:
            return _TYPES[part]
    return "other"
