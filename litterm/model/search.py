"""A query with its filters, the ranking that answers it, and how citations expand it or a model orders it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from litterm.model.citations.citation_counts import PaperCounts
    from litterm.model.citations.facts import NameFact
    from litterm.model.citations.graph import HopDirection
    from litterm.model.document import Span
    from litterm.model.paper import LibraryName, Paper, PaperId


DEFAULT_RESULTS = 20
"""Papers that a search returns if no number is given; the workbench lists more."""

MAX_REWRITTEN_QUERIES = 9
"""Other queries that are searched with one: a model writes three, and a request has at most nine aspects."""

SortOrder = Literal["relevance", "newest", "oldest", "title", "author", "citations", "added"]
"""`newest` goes by the date of publication, `added` by the time at which a paper came into the library."""

QueryKind = Literal["keywords", "question", "excerpt", "long", "paper"]
"""What was asked with: which words of it are looked for, and how they weigh, depends on it. `excerpt` is text with
a citation masked in it, `paper` a paper of the library that results should be like."""

TO_READ_LIST = "to read\N{INFORMATION SEPARATOR ONE}"
"""The name of the list of papers marked as to read; no tag, as many have one of that name, can be written so."""
NOTE_PREFIX = "note\N{INFORMATION SEPARATOR ONE}"
"""Before a word: what is asked of the user's notes, and not of the tags. No tag has it."""

PROJECT_PREFIX = "project\N{INFORMATION SEPARATOR ONE}"
"""Before the name of a project: the papers that are included or starred in it."""

IMPORT_PREFIX = "import\N{INFORMATION SEPARATOR ONE}"
"""Before the name of an import: the papers that it states."""
MINE_LIST = "mine\N{INFORMATION SEPARATOR ONE}"
"""The name of the list of papers that an import of the user's own states."""

ANNOTATED_LIST = "annotated\N{INFORMATION SEPARATOR ONE}"
"""The name of the list of papers in whose files there are highlights or notes."""

COLLECTION_PREFIX = "collection\N{INFORMATION SEPARATOR ONE}"
"""Before the name of a collection: the papers that are filed under it, or under one that lies in it."""

_REFERENCE_RANK, _MIN_POINTS_SHARE = 10, 0.5
"""The place of the paper that others are held against, and the share of its points that is enough."""


@dataclass(frozen=True, slots=True)
class YearRange:
    """Inclusive years; `None` leaves an end open."""

    first: int | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True)
class CountRange:
    """Inclusive counts; `None` leaves the upper end open."""

    least: int = 0
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions a paper must meet; alternatives of one field are joined by *or*, fields by *and*."""

    venues: tuple[str, ...] = ()
    """Slugs or acronyms, lower case."""
    sources: tuple[str, ...] = ()
    """Id schemes, lower case: `acl`, `iclr`, ..."""
    years: tuple[YearRange, ...] = ()
    authors: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    """The user's own tags; also `starred`, `included`, `excluded`, `read`."""
    full_text: bool | None = None
    cited: tuple[CountRange, ...] = ()
    """Of the largest of all counts of a paper; all must hold."""
    lists: tuple[str, ...] = ()
    """The user's own: `starred`, `included`, `excluded`, `TO_READ_LIST`, `reading`, `read`, `MINE_LIST`."""
    notes: tuple[str, ...] = ()
    """Words that the user's note on the paper, or an annotation in its files, holds; an empty one: it has a note."""
    without: tuple[Filters, ...] = ()
    """What a paper must not meet."""
    projects: tuple[str, ...] = ()
    """Names of the user's projects: papers included or starred in one of them."""
    imports: tuple[str, ...] = ()
    """Names of imports: papers that one of them states."""
    collections: tuple[str, ...] = ()
    """Names of the user's collections: papers filed under one of them, or under one that lies in it."""
    annotated: bool = False
    """Whether a file of the paper must have a highlight or note."""
    papers: tuple[PaperId, ...] | None = None
    """These papers only: what tags, lists, notes and projects come to, where the library does not know them."""

    @property
    def required_names(self) -> tuple[tuple[str, ...], ...]:
        """By what the user keeps a paper must be found: for each kind names, of which it has one; none left empty."""
        kinds = (
            self.tags,
            self.lists,
            tuple(f"{NOTE_PREFIX}{word}" for word in self.notes),
            tuple(f"{PROJECT_PREFIX}{name}" for name in self.projects),
            tuple(f"{IMPORT_PREFIX}{name}" for name in self.imports),
            tuple(f"{COLLECTION_PREFIX}{name}" for name in self.collections),
            (ANNOTATED_LIST,) * self.annotated,
        )
        return tuple(names for names in kinds if names)


TextField = Literal["", "title", "abstract", "keyword"]


@dataclass(frozen=True, slots=True)
class TextCondition:
    """Words that a paper's text must hold, each of them, as the index stems them."""

    text: str
    place: TextField = ""
    """Where; empty for title or abstract."""
    exact: bool = False
    """Whether the words must be there as they are, one right after the other."""
    beginning: bool = False
    """Whether the last word is only how a word begins."""


@dataclass(frozen=True, slots=True)
class AllOf:
    """Conditions that must all be met."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Conditions of which one must be met."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class NegatedCondition:
    """A condition that must not be met."""

    condition: Condition


Condition: TypeAlias = "Filters | TextCondition | AllOf | AnyOf | NegatedCondition"


def nested_filters(conditions: Iterable[Condition]) -> Iterator[Filters]:
    """All filters in `conditions`, also those that must not be met."""
    for condition in conditions:
        match condition:
            case Filters(without=without):
                yield condition
                yield from nested_filters(without)
            case NegatedCondition(inner):
                yield from nested_filters((inner,))
            case AllOf(inner_conditions) | AnyOf(inner_conditions):
                yield from nested_filters(inner_conditions)
            case _:
                pass


@dataclass(frozen=True, slots=True)
class FilterChip:
    """One filter as typed, for showing and removing; `span` is its range in `Query.text`."""

    label: str
    span: Span


@dataclass(frozen=True, slots=True)
class Query:
    """What was typed, read once by `text.queries.parser.parse_query`."""

    text: str
    """Exactly as typed."""
    words: tuple[str, ...] = ()
    """Free words in order, as typed; words of phrases are included."""
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    """Words or phrases no result may contain."""
    filters: Filters = field(default=Filters())
    conditions: tuple[Condition, ...] = ()
    """What operators and fields of the text ask for beside `filters`; all must be met."""
    beginnings: tuple[str, ...] = ()
    """Typed with a star behind them: any word that begins so counts as the one looked for."""
    chips: tuple[FilterChip, ...] = ()
    unfinished: str = ""
    """The last word while it is still being typed; to be expanded over the vocabulary."""
    kind: QueryKind | None = None
    """As which it is to be read; `None` leaves that to a guess, which `Ranking.kind` tells."""
    soft_years: tuple[int, ...] = ()
    """Years as remembered: papers near one of them are lifted, others stay."""
    like: tuple[PaperId, ...] = ()
    """Papers to find similar ones to; never results themselves."""
    unlike: tuple[PaperId, ...] = ()
    """Papers that results should be unlike; never results themselves."""
    sort: SortOrder | None = None
    """The order asked for in the query itself; `None` leaves it to the caller."""
    library_name: LibraryName | None = None
    """The only library to search; `None` for the user's own papers, and the starter library behind them."""
    in_full_texts: bool = False
    """Whether full texts are searched, too: it finds what no abstract says and ranks the rest a little worse."""

    def with_full_texts(self, default: bool, chosen: bool | None = None) -> Query:
        """The query as it is searched: in full texts if `chosen` says so, else if the query or the `default` does."""
        # Chosen `False` holds against the query, too, so the three are not simply joined by `or`.
        return replace(self, in_full_texts=self.in_full_texts or default if chosen is None else chosen)


@dataclass(frozen=True, slots=True)
class RetrieverShare:
    """What one retriever contributed to a paper's place."""

    name: str
    """`words`, `title`, `meaning`, `every word`, `like the first`, `encoder` or `full text`."""
    rank: int
    """The paper's place by this retriever alone, from 1; 0 when it is not among those it ranks."""
    score: float
    """Its own scale: BM25 from 0, a cosine in [-1, 1]."""
    points: float
    """What it adds to `RankedPaper.score`: the score in standard deviations over its best papers, weighted."""


@dataclass(frozen=True, slots=True)
class Prior:
    """Points for or against a paper that do not depend on its words."""

    name: str
    """Plain words: `main venue`, `near 2016`, `like acl:P18-1001`."""
    points: float


@dataclass(frozen=True, slots=True)
class ScoreExplanation:
    """Why a paper is where it is; all points add up to `RankedPaper.score`."""

    shares: tuple[RetrieverShare, ...]
    priors: tuple[Prior, ...] = ()


@dataclass(frozen=True, slots=True)
class WordSources:
    """What tells the meaning of each word of a query, the words as typed."""

    model: tuple[str, ...] = ()
    """The semantic model."""
    library: tuple[str, ...] = ()
    """The papers of the library that hold the word."""
    unknown: tuple[str, ...] = ()
    """Nothing: the word stands for itself alone."""


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Other queries for what a query asks for, searched with it."""

    queries: tuple[str, ...]
    """At most `MAX_REWRITTEN_QUERIES`; their words are words, whatever they look like."""
    by: str = ""
    """The model that wrote them; empty if the user did, or changed them."""


@dataclass(frozen=True, slots=True)
class QueryPlace:
    """The place of a paper in the ranking of one of several queries."""

    query: int
    """0 for the query as it was typed, else the number of a rewritten one, from 1."""
    rank: int
    """From 1."""


@dataclass(frozen=True, slots=True)
class RankedPaper:
    """A paper at its place in a ranking."""

    rank: int
    """From 1."""
    paper: Paper
    score: float | None
    """Of the method named by `by`; comparable within one ranking only. `None`: nobody computed one."""
    by: str
    matched: tuple[tuple[str, int], ...] = ()
    """Query words found in title or abstract, as typed, with how often; most telling first."""
    library_name: LibraryName = "own"
    why: ScoreExplanation | None = None
    """`None` where the score has no parts."""
    local_rank: int | None = None
    """Its place before a model, or its links to others, moved it; `None` where nothing did, or it had none."""
    via: tuple[PaperId, ...] = ()
    """Papers of the first ranking whose references or citations led here, the best first; empty for its own."""
    cited: PaperCounts | None = None
    """How often it is cited; `None` where nobody looked."""
    reason: str = ""
    """A model's few words on why it is here; not the paper's words."""
    places: tuple[QueryPlace, ...] = ()
    """Which of several queries found it, and where; empty where one query was searched."""
    name: str = ""
    """Where all that was typed is a name of it: a few words that say so, and who uses the name."""

    @property
    def is_own(self) -> bool:
        """Whether it is one of the user's papers, or of an online service: not from the starter library."""
        return self.library_name == "own"


@dataclass(frozen=True, slots=True)
class NamedPaper:
    """A paper that a name in the query stands for."""

    name: str
    """As it was typed."""
    fact: NameFact
    paper: PaperId | None
    """Under which id the library holds the paper; `None` where it does not."""
    is_whole: bool
    """Whether the name is all that was typed."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The answer to a query."""

    query: Query
    papers: tuple[RankedPaper, ...]
    found: int
    """How many papers match in all; at least `len(papers)`."""
    by: str
    """Which method ranked the papers: `bm25`, ..."""
    hidden: int = 0
    """Matches that only the filters keep out; counted when nothing or little is left."""
    suggestion: str = ""
    """The query with a likely misspelling fixed; empty if there is none."""
    searched: int = 0
    """Papers that could have matched: the library's size when it was asked."""
    notices: tuple[str, ...] = ()
    kind: QueryKind = "keywords"
    """As which the query was read."""
    sources: WordSources | None = None
    """`None` where meaning had no part in the order."""
    first: int = 20
    """How many papers make a good first screen: few for a question that only few papers can answer."""
    missing: tuple[str, ...] = ()
    """Words as typed that no paper holds, though papers are found by the others."""
    rewrite: Rewrite | None = None
    """The other queries that were searched, too; `None` for none."""
    names: tuple[NamedPaper, ...] = ()
    """The papers that names in the query stand for, as far as citation facts tell."""


@dataclass(frozen=True, slots=True)
class Facet:
    """One value of a field among the papers found, as a filter that keeps only those."""

    field: Literal["year", "venue", "type", "source"]
    value: str
    """As the query language writes it: `2020..2023`, `acl`."""
    count: int


def count_relevant(points: Sequence[float]) -> int:
    """How many papers are relevant, given their points in descending order.

    Those with at least half the points of the tenth paper; all, if there are fewer than ten.
    """
    # By points and not by a number of papers: in a small library most of a fixed two hundred have nothing to do with
    # the query.
    if len(points) < _REFERENCE_RANK or points[_REFERENCE_RANK - 1] <= 0:
        return len(points)
    return sum(point >= _MIN_POINTS_SHARE * points[_REFERENCE_RANK - 1] for point in points)


HopOrder = Literal["interleaved", "seeds-first"]
"""Each seed followed by its neighbours, or all seeds before the first neighbour."""


@dataclass(frozen=True, slots=True)
class HopOptions:
    """One hop through the citation graph; the defaults are those of LitSearch (section 3.2)."""

    direction: HopDirection = "refs"
    """Whether what the seeds cite is taken in, what cites them, or both."""
    seeds: int = 50
    """Papers of the first ranking whose neighbours are taken in."""
    cap: int = 200
    """Papers in all, seeds included."""
    order: HopOrder = "interleaved"
    """In which order they come into question, where there are more than `cap`."""
    rescored: bool = True
    """Whether they are ranked by one search, with points for links; else they stay in `order`, as published."""


@dataclass(frozen=True, slots=True)
class ExpandedPaper:
    """One candidate of an expansion."""

    paper: PaperId
    seed: int | None
    """Its place in the first ranking, from 1; `None` for one that only a seed led to."""
    via: tuple[PaperId, ...] = ()
    """Seeds that cite it or are cited by it, the best first."""
    by_shipped: bool = False
    """Whether only edges that ship with litterm say so."""


@dataclass(frozen=True, slots=True)
class RerankOptions:
    """How a model orders a ranking."""

    max_papers: int = 100
    """Papers shown to it, the first of the local order."""
    window: int = 0
    """Papers shown at once; 0: all, or 20 to a model on this machine for which all are too much."""
    cached: bool = True
    """Whether replies kept from earlier may answer."""
    by: Literal["model", "embeddings"] = "model"
    """A language model that reads the list, or an embedding model that compares each paper with the query."""
