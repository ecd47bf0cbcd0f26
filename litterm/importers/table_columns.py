"""The columns of tables of papers: the line that names them, and what the names mean, whoever wrote them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from litterm.model.paper import PaperType

_DELIMITERS: Final = (",", "\t", ";", "|")
_MAX_LINES_BEFORE: Final = 8
"""Lines about the export come before the names of the columns."""
_SEPARATOR_LINE: Final = re.compile(r"\"?sep=(.)\"?\r?\n", re.IGNORECASE)
_EXCEL_TEXT: Final = re.compile(r'=\s*"(.*)"', re.DOTALL)
_FORMULA_MARK: Final = re.compile(r"'(?=[=+@-])")
"""What keeps spreadsheets from reading a cell as a formula."""
_MODEL_QUOTES: Final = re.compile(r"(?:supporting quotes|supporting tables|reasoning) for [\"'“]?([^\"“”]*)")
"""A column of Elicit's beside one that its model filled in, by the normal name of that one."""
_MIN_MEANINGS: Final = 2
"""Columns of known meaning beside the title: a list of films has a title and a year, too."""
TELLING: Final = frozenset("authors year doi pmid venue abstract type keywords serials accession".split())
_SIGNS: Final = re.compile(r"[\s_]+")
_MEANINGS: Final = {
    "title": """article title|document title|item title|paper title|title primary|title|titles|ti|display name|
        primary title|publication title of item|original title""",
    "authors": """author full names|author full name|af|authors, primary|authors|author|author(s)|author/s|
        author names|au|creators|authorships.author.display name|authorships.raw author name|author list|contributors|
        first author""",
    "editors": "editors|editor|authors, secondary|be|book editors|ed",
    "year": "year|publication year|pubyear|pub year|published year|py|publication year (py)|year published|date year",
    "date": """publication date|date published|date|publication date (online)|cover date|date of publication|pd|
        pub month & day|published date|early access date|issue date|pub date""",
    "month": "month|published month|publication month",
    "day": "day|publication day",
    "venue": """source title|journal/book|journal title|journal|publication title|periodical full|publication|
        primary location.source.display name|so|source|venue|journal name|source publication|container title|
        host venue.display name|publication name|journal full title|secondary title""",
    "booktitle": """booktitle|book title|proceedings title|conference title|conference name|anthology title|ct|
        title secondary|book""",
    "short venue": """abbreviated source title|periodical abbrev|journal abbreviation|ji|j9|abbreviated journal title|
        journal abbrev|journal iso abbreviation|iso abbreviation|journal iso""",
    "volume": "volume|vl|journal volume|vol|volume number|biblio.volume",
    "issue": "issue|is|issue number|number|journal issue|no|no.|biblio.issue|issue no",
    "pages": "pages|pagination|page range|page|pages start-end|pp|page numbers|page(s)",
    "first page": "page start|start page|first page|bp|beginning page|biblio.first page|startpage",
    "last page": "page end|end page|last page|ep|ending page|biblio.last page|endpage|other pages",
    "article number": "art. no.|article number|article no|article no.|ar|article num|elocation id|elocation",
    "publisher": "publisher|pu|publisher name",
    "institution": "institution|school|university",
    "address": "place of publication|place|publisher address city|pi|publisher city|address|location",
    "language": "language of original document|language|article language|la|output language|languages",
    "edition": "edition",
    "series": "series|se|book series title|series title|title, tertiary|bs",
    "doi": "doi|di|item doi|doi link|article doi|ids.doi|doi url|digital object identifier",
    "pmid": "pmid|pubmed id|medline pmid|pm|pubmed|pubmedid|ids.pmid|pub med id|pubmed number|pmid number",
    "pmcid": "pmcid|pmc id|pmc|ids.pmcid|pubmed central id",
    "arxiv": "arxiv|arxiv id",
    "serials": """issn|sn|issns|issn/isbn|eissn|ei|e-issn|isbn|bn|isbns|electronic issn|print issn|
        primary location.source.issn""",
    "abstract": "abstract|ab|abstract note|abstracts|abstract text|summary",
    "keywords": """author keywords|de|keywords|manual tags|subjects|index keywords|id (keywords plus)|keywords plus|
        mesh terms|ieee terms|automatic tags|mesh|keyword|subject|fields of study|descriptors|
        emtree drug index terms (major focus)|emtree drug index terms|emtree medical index terms (major focus)|
        emtree medical index terms|keywords.display name|inspec controlled terms|author-supplied keywords""",
    "note": "notes|note|personal notes|extra|source note|research notes|comments|rayyan notes|user notes|asreview note",
    "files": "file attachments|files|file|attachments|pdf path",
    "url": """link|url|article url|pdf link|plink|external url|dimensions url|permalink|links|embase link|urls|doi link|
        primary location.landing page url|ids.openalex|full text link|cochrane link|ut url|source urls""",
    "type": """document type|publication type|item type|type|dt|content type|doctype|reference type|entry type|
        type crossref|publication types|type of reference|publication type (pt)|document type (dt)|genre|pt|
        document identifier""",
    "thesis": "thesis|degree",
    "retraction": "retraction|is retracted",
    "key": "citation key|citekey|bibtex key|bibtexkey|key",
    "id": "id",
    "accession": """eid|ut (unique wos id)|ut|lens id|publication id|embase accession id|central id|cochrane review id|
        accession number|an|pui|accession no|unique id""",
    "database": "database|database name|sub file/database|data source|library catalog",
    "exported": "da|export date|date of export|retrieved date",
}
"""Meanings, each with the names of its columns in lower case, the one that tells most first."""


def normal_name(name: str) -> str:
    """The name of a column as it is looked up: small letters, single blanks."""
    return _SIGNS.sub(" ", name).strip(" :*#\"'").casefold()


def _by_name() -> dict[str, tuple[str, int]]:
    names: dict[str, tuple[str, int]] = {}
    for meaning, listed in _MEANINGS.items():
        for rank, name in enumerate(listed.split("|")):
            names.setdefault(normal_name(name), (meaning, rank))
    return names


COLUMNS: Final = _by_name()
"""Meaning of each name, and how soon a column of that name is taken among others of one meaning."""
DATABASE_COLUMNS: Final[tuple[tuple[frozenset[str], str], ...]] = (
    (frozenset(("eid", "source title")), "Scopus"),
    (frozenset(("ut (unique wos id)",)), "Web of Science"),
    (frozenset(("ut", "pt", "au")), "Web of Science"),
    (frozenset(("lens id",)), "Lens"),
    (frozenset(("publication id", "pubyear")), "Dimensions"),
    (frozenset(("embase accession id",)), "Embase"),
    (frozenset(("central id",)), "Cochrane Library"),
    (frozenset(("cochrane review id",)), "Cochrane Library"),
    (frozenset(("plink",)), "EBSCOhost"),
    (frozenset(("document title", "ieee terms")), "IEEE Xplore"),
    (frozenset(("item title", "item doi")), "SpringerLink"),
    (frozenset(("pmid", "journal/book")), "PubMed"),
    (frozenset(("ids.openalex",)), "OpenAlex"),
)
"""Databases whose tables are known by these columns."""
_TYPE_NAMES: Final[dict[PaperType, str]] = {
    "article": """article|journal article|journalarticle|journal-article|review|letter|editorial|note|short survey|
        article in press|magazine article|magazinearticle|newspaper article|newspaperarticle|data paper|erratum|
        journal|review article|academic journal|periodical|case reports|early access|conference review|j|ieee journals|
        systematic review|meta-analysis|randomized controlled trial|clinical trial|editorial material|
        research article""",
    "inproceedings": """conference paper|inproceedings|conferencepaper|proceedings paper|proceedings-article|
        conference proceedings article|proceeding|conference proceeding|meeting abstract|ieee conferences|
        conference-paper|c|conference abstract|proceedings article|conference""",
    "proceedings": "proceedings|conference proceedings|monograph (proceedings)",
    "preprint": "preprint|posted-content|posted content|working paper|preprints|unpublished",
    "book": "book|monograph|edited book|edited-book|collection|ebook|b|s|whole book",
    "chapter": "book chapter|booksection|book section|chapter|book-chapter|encyclopedia article|encyclopediaarticle|"
    "dictionaryentry|reference entry|reference-entry|bookchapter",
    "thesis": "thesis|dissertation|doctoral thesis|phd thesis|master's thesis|dissertation/thesis",
    "report": "report|technical report|government document|standard",
    "other": "other|webpage|web page|dataset|patent|software|computerprogram|generic|paratext|registration",
}
TYPE_WORDS: Final[dict[str, PaperType]] = {
    normal_name(name): kind for kind, listed in _TYPE_NAMES.items() for name in listed.split("|")
}
"""What tables call each type."""


@dataclass(frozen=True, slots=True)
class TableHeader:
    """The line that names the columns."""

    end_line: int
    """Lines up to its end."""
    delimiter: str
    meanings: tuple[tuple[str, int], ...]
    """Meaning and rank of each column; empty for one that is passed over."""
    names: frozenset[str]


def is_table_of_papers(head: str) -> bool:
    """Whether a text that begins so is a table of papers, with at least one line below the names of its columns."""
    header = find_header(head)
    return header is not None and any(line.strip() for line in islice(same_line_ends(head), header.end_line, None))


def find_header(text: str) -> TableHeader | None:
    """The line among the first of `text` that names a title and what else papers have; `None` if there is none.

    The delimiter is the one that gives most columns of known meaning.
    """
    head = text[: 2**16].removeprefix("\ufeff")
    stated = _SEPARATOR_LINE.match(head)
    found: list[tuple[int, TableHeader]] = []
    for delimiter in (stated[1],) if stated else _DELIMITERS:
        reader = csv.reader(same_line_ends(head), delimiter=delimiter)
        try:
            for cells in islice(reader, _MAX_LINES_BEFORE):
                if len(cells) > 1 and (header := _header(cells, reader.line_num, delimiter)) is not None:
                    found.append((sum(bool(meaning) for meaning, _ in header.meanings), header))
                    break
        except csv.Error:
            continue
    return max(found, key=lambda pair: pair[0])[1] if found else None


def _header(cells: list[str], end_line: int, delimiter: str) -> TableHeader | None:
    names = [normal_name(plain_cell(cell)) for cell in cells]
    by_model = {found[1] for name in names if (found := _MODEL_QUOTES.fullmatch(name))}
    meanings = tuple(("", 0) if name in by_model else COLUMNS.get(name, ("", 0)) for name in names)
    known = {meaning for meaning, _ in meanings}
    if "title" not in known or len(known & TELLING) < _MIN_MEANINGS:
        return None
    return TableHeader(end_line, delimiter, meanings, frozenset(names))


def plain_cell(cell: str) -> str:
    """A cell without what spreadsheets and programs put around its text."""
    text = cell.strip().removeprefix("\ufeff")
    match = _EXCEL_TEXT.fullmatch(text)
    text = match[1].strip() if match else text
    return _FORMULA_MARK.sub("", text, count=1) if text.startswith("'") else text


def same_line_ends(text: str) -> Iterator[str]:
    """The lines of `text`, all ended in the same way: for a reader of CSV a lone CR is an error."""
    lines: Iterable[str] = io.StringIO(text, newline="")
    for line in lines:
        yield line.replace("\r\n", "\n").replace("\r", "\n")
