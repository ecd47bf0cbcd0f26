"""The types of what each command prints with `--json`; JSON Schemas are generated from them (`tools/schemas.py`).

The functions that make the data return these types, and name them only where types are checked: no command loads this
module. Whoever adds a field raises the version of its command in `render/json.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NotRequired, TypedDict

# Find


class CountOfService(TypedDict):
    """How often one service says that a paper is cited."""

    source: str
    count: int
    date: str
    by_year: dict[str, int]


class CountsData(TypedDict):
    """How often a paper is cited."""

    library: int
    services: list[CountOfService]


class PlaceData(TypedDict):
    """The rank of a paper for one of several queries; 0 is the query as typed."""

    query: int
    rank: int


class ShareData(TypedDict):
    """What one retriever adds to a score."""

    name: str
    rank: int
    score: float
    points: float


class PriorData(TypedDict):
    """What a prior adds to a score."""

    name: str
    points: float


class RankReasonsData(TypedDict):
    """The parts of a score."""

    parts: list[ShareData]
    priors: list[PriorData]


class MarkOfAgreement(TypedDict):
    """Whether the model agrees with people as a person does; `null`: untested."""

    like_a_person: bool | None
    cells: int


class AspectCellData(TypedDict):
    """How far one paper covers one sub-aspect; a grade is 0, 1, 2 or "?"."""

    aspect: str
    score: float | None
    grade: int | str | None
    reason: str
    sentence: int | str | None


class AspectOfPaper(AspectCellData):
    """How far one paper covers one aspect."""

    sub_aspects: list[AspectCellData]


class AspectCoverageData(TypedDict):
    """How far one paper covers the aspects of a query."""

    aspects: list[AspectOfPaper]
    coverage: float | None
    relevance: float | None
    average: float | None
    relevant: bool | None
    unread: int


class RankedPaperData(TypedDict):
    """A result of a search; with aspects also the fields of `AspectCoverageData`."""

    rank: int
    id: str
    title: str
    authors: list[str]
    year: int | None
    venue: str
    score: float | None
    by: str
    type: str
    decision: str
    retraction: str
    full_text: bool
    starter: bool
    matched: dict[str, int]
    local_rank: int | None
    via: list[str]
    reason: str
    places: list[PlaceData]
    name: str
    why: RankReasonsData | None
    citations: CountsData | None
    aspects: NotRequired[list[AspectOfPaper]]
    coverage: NotRequired[float | None]
    relevance: NotRequired[float | None]
    average: NotRequired[float | None]
    relevant: NotRequired[bool | None]
    unread: NotRequired[int]


class WordSourcesData(TypedDict):
    """Where the meaning of each word of a query is known from."""

    model: list[str]
    library: list[str]
    unknown: list[str]


class RewriteData(TypedDict):
    """Other queries that were searched, too."""

    by: str
    queries: list[str]


class NamedPaperData(TypedDict):
    """A paper that a name in the query stands for."""

    name: str
    id: str | None
    ids: list[str]
    title: str
    year: int | None
    first_author: str
    kind: str
    sources: list[str]
    texts: int
    whole: bool


class AspectData(TypedDict):
    """An aspect of a query."""

    aspect: str
    sub_aspects: list[str]
    weight: float
    muted: bool


class SearchData(TypedDict):
    """The answer of `search`."""

    query: str
    count: int
    results: list[RankedPaperData]
    found: int
    by: str
    asked: str
    hidden: int
    suggestion: str | None
    searched: int
    notices: list[str]
    kind: str
    first: int
    missing: list[str]
    words: WordSourcesData | None
    rewrite: RewriteData | None
    names: list[NamedPaperData]
    aspects: NotRequired[list[AspectData]]
    aspects_by: NotRequired[str]
    scored_by: NotRequired[str]
    graded_by: NotRequired[str]
    agreement: NotRequired[MarkOfAgreement | None]


class ThenAndNowData(TypedDict):
    """A number of the recorded search, and of the same search now."""

    then: int
    now: int


class ListChangeData(TypedDict):
    """A paper that is listed now and was not, or the other way round; `rank` is where it is or was listed."""

    id: str
    title: str
    rank: int
    reason: str


class LeftListData(ListChangeData):
    """A paper that is no longer listed; `shown_in`: the record that it is part of now."""

    shown_in: str | None


class MovedPaperData(ThenAndNowData):
    """A paper that is listed at another rank."""

    id: str


class RerunChangeData(TypedDict):
    """What a search depends on and is not as it was."""

    what: str
    sentence: str


class LibraryChangeData(TypedDict):
    """How many papers of the library are new, changed or gone."""

    added: int
    changed: int
    removed: int


class RerunData(TypedDict):
    """The answer of `rerun`."""

    same: bool
    query: str
    date: str
    found: ThenAndNowData
    count: ThenAndNowData
    entered: list[ListChangeData]
    left: list[LeftListData]
    moved: list[MovedPaperData]
    changes: list[RerunChangeData]
    library: LibraryChangeData | None
    not_repeated: list[str]
    ids: list[str]


# `from` is a word of Python.
CitanceData = TypedDict(
    "CitanceData", {"citing": str, "year": int | None, "text": str, "sentence": int | None, "from": str}
)


class FirstPaperData(TypedDict):
    """A paper that a topic may come from."""

    rank: int
    id: str
    title: str
    authors: list[str]
    year: int | None
    date: str
    venue: str
    relevance_rank: int
    name: str
    named: list[CitanceData]


class FirstData(TypedDict):
    """The answer of `first`."""

    query: str
    count: int
    results: list[FirstPaperData]
    looked_at: int
    citances: int
    notices: list[str]


class ListEntryData(TypedDict):
    """A paper of a reading list."""

    rank: int
    id: str
    title: str
    authors: list[str]
    year: int | None
    venue: str
    stage: str
    why: list[str]
    pinned: bool
    note: str
    status: str


class ListSectionData(TypedDict):
    """A section of a reading list in the form of ACL-rlg."""

    sectionName: str
    subsectionName: str
    referencesIds: list[str]


class ListLinkData(TypedDict):
    """Who of a reading list cites whom."""

    citing: str
    cited: str


class ReadingListData(TypedDict):
    """The answer of `list`."""

    id: str
    topic: str
    count: int
    until: int | None
    by: str
    made: str
    papers: list[ListEntryData]
    readingList: list[ListSectionData]
    links: list[ListLinkData]
    dropped: list[str]
    notices: list[str]


class ListSummaryData(TypedDict):
    """One of the reading lists there are."""

    id: str
    topic: str
    papers: int
    read: int
    made: str


class ListsData(TypedDict):
    """The answer of `list --list`."""

    lists: list[ListSummaryData]


class DeletedData(TypedDict):
    """The answer of `--delete`: what was deleted."""

    deleted: str


class ExpertReferenceData(TypedDict):
    """A work of a printed reading list."""

    title: str
    year: int | None
    section: str
    acl_id: str
    in_acl: bool
    paper: str | None


class ExpertListData(TypedDict):
    """The answer of `list --expert`."""

    id: str
    title: str
    year: int | None
    references: list[ExpertReferenceData]


class FoundOnlineData(TypedDict):
    """A record that a service found."""

    id: str
    title: str
    authors: list[str]
    year: int | None
    venue: str
    in_library: bool


class FindData(TypedDict):
    """The answer of `find`."""

    query: str
    service: str
    papers: list[FoundOnlineData]


class NewPaperData(TypedDict):
    """A paper that is new in a watch."""

    id: str
    title: str
    year: int | None
    first_seen: str


class NewsData(TypedDict):
    """A watch and what is new in it."""

    query: str
    new: int
    papers: list[NewPaperData]


class WatchesData(TypedDict):
    """The answer of `watch` without a query."""

    watches: list[NewsData]


class WatchData(NewsData):
    """The answer of `watch QUERY`."""

    added: bool


class ForgottenData(TypedDict):
    """The answer of `watch --forget`."""

    query: str
    forgotten: bool


class ListedWorkData(TypedDict):
    """A work that a paper cites, or that cites it."""

    id: str | None
    title: str
    text: str
    authors: list[str]
    year: int | None
    ids: list[str]
    in_library: str | None
    contexts: list[str]
    collection: str


class ReferencesData(TypedDict):
    """The answer of `refs`."""

    paper: str
    by: str
    references: list[ListedWorkData]


class CitationsData(TypedDict):
    """The answer of `cited-by`."""

    paper: str
    by: str
    citations: list[ListedWorkData]


class SqlData(TypedDict):
    """The answer of `sql`; a row has a value for each column."""

    columns: list[str]
    rows: list[dict[str, object]]
    has_more: bool


# Read and judge


class AnnotationData(TypedDict):
    """A highlight or note in a file of a paper."""

    kind: str
    page: str
    quote: str
    comment: str
    colour: str
    author: str
    changed: str
    sentences: list[int]


class NotesData(TypedDict):
    """What the user holds about a paper."""

    screening: str | None
    starred: bool
    tags: list[str]
    note: str
    status: str
    collections: list[str]


class SectionData(TypedDict):
    """A heading of a full text."""

    title: str
    number: str
    level: int
    kind: str


class OutlineData(TypedDict):
    """What a full text holds."""

    id: str
    origin: str
    sentences: int
    references: int | None
    tables: int
    licence: str
    sections: list[SectionData]


class ImportedData(TypedDict):
    """Where a record comes from."""

    format: str
    origin: str
    at: str


class SourceData(ImportedData):
    """What one of several sources of a record states."""

    id: str
    states: dict[str, object]


class PublicationData(TypedDict):
    """Where and how a paper was published, as its source says."""

    booktitle: str
    journal: str
    volume: str
    issue: str
    pages: str
    publisher: str
    address: str
    editors: list[str]
    language: str
    bibkey: str
    article_number: str
    edition: str
    series: str
    isbn: str
    issn: str
    thesis: str
    institution: str
    note: str
    files: list[str]
    accession_numbers: list[str]
    databases: list[str]
    collections: list[str]
    exported_on: str
    has_more_editors: bool


class RecordData(PublicationData):
    """A bibliographic record."""

    id: str
    title: str
    authors: list[str]
    year: int | None
    venue: str
    abstract: str
    abstract_by: str
    date: str
    type: str
    keywords: list[str]
    aliases: list[str]
    urls: list[str]
    retraction: str
    decision: str
    status: str
    full_text: bool
    has_more_authors: bool
    is_title_certain: bool
    unverified_ids: list[str]
    sources: list[SourceData]
    imported: ImportedData


class KnownNameData(TypedDict):
    """A name of a paper by citation facts."""

    name: str
    kind: str
    texts: int
    sources: list[str]


class PaperData(RecordData):
    """A record, its full text, and what the user holds about it."""

    document: OutlineData | None
    annotations: list[AnnotationData]
    notes: NotesData


class ShowData(PaperData):
    """The answer of `show`."""

    imports: list[str]
    known_as: list[KnownNameData]
    citations: CountsData


class MarkedPaperData(NotesData):
    """What the user holds about a paper after `mark`."""

    id: str
    changed: bool


class MarkData(TypedDict):
    """The answer of `mark`."""

    count: int
    changed: int
    papers: list[MarkedPaperData]
    unknown: list[str]


class UndoneData(TypedDict):
    """What was undone; `null`: there was nothing."""

    undone: str | None


class RedoneData(TypedDict):
    """What was repeated; `null`: there was nothing."""

    redone: str | None


class ChangeData(TypedDict):
    """A change that can be undone."""

    sentence: str
    at: str
    undone: bool


class ChangesData(TypedDict):
    """The answer of `undo --list`."""

    count: int
    changes: list[ChangeData]


class LikelyStanceData(TypedDict):
    """A stance by wording, and its probability."""

    stance: str
    probability: float


class EvidenceSentenceData(TypedDict):
    """A sentence of a paper that bears on a hypothesis."""

    rank: int
    index: int
    section: str
    kind: str
    page: int | None
    text: str
    score: float
    strength: str
    closeness: str
    paragraph: int
    position: float
    locator: str
    terms: list[str]
    stance: str | None
    likely_stance: LikelyStanceData | None
    reason: str


class FailedPartData(TypedDict):
    """A part of a paper that a model could not be asked about."""

    key: str
    title: str
    why: str


class StudyAspectData(TypedDict):
    """A study aspect with the sentences that cover it."""

    text: str
    result: bool
    origin: str
    sentences: list[int]


class StudyAspectsData(TypedDict):
    """The study aspects of an answer."""

    by: str
    aligned_by: str
    covered: float | None
    aspects: list[StudyAspectData]
    cover: list[int]
    notices: list[str]


class EvidenceData(TypedDict):
    """The answer of `evidence PAPER HYPOTHESIS`."""

    paper: str
    hypothesis: str
    by: str
    document: str
    sentences: list[EvidenceSentenceData]
    scope: str
    origin: str
    notices: list[str]
    verdict: str | None
    closeness: str
    level: str | None
    stance: str | None
    confidence: float | None
    key_findings: list[EvidenceSentenceData]
    failed: list[FailedPartData]
    negated: EvidenceData | None
    aspects: StudyAspectsData | None
    agreement: MarkOfAgreement | None


class AnswerSourceData(TypedDict):
    """A sentence of a paper, and where it stands."""

    rank: int
    text: str
    paper: str
    title: str
    year: int | None
    key: str
    locator: str
    section: str
    page: int | None
    kind: str
    index: int
    document: str
    origin: str
    probability: float
    strength: str
    closeness: str
    side: str
    likely_stance: LikelyStanceData | None
    warning: str


class AnswerSentenceData(AnswerSourceData):
    """A sentence that answers, with those of other papers that say the same."""

    restatements: list[AnswerSourceData]


class AnswerGroupData(TypedDict):
    """Sentences of one side, or on one aspect of the question."""

    title: str
    side: str | None
    sentences: list[AnswerSentenceData]


class AnswerData(TypedDict):
    """The answer of `ask` without `--model`; `silence`: why the library does not say."""

    question: str
    hypotheses: list[str]
    by: str
    papers_read: int
    full_texts: int
    probability: float
    silence: str | None
    unknown_words: list[str]
    groups: list[AnswerGroupData]
    notices: list[str]


class SentenceFaultData(TypedDict):
    """What a sentence of a model says otherwise than its quotes."""

    kind: str
    words: str
    by: str


class WrittenSentenceData(TypedDict):
    """A sentence of a model; `quotes` are their ranks."""

    text: str
    quotes: list[int]
    struck: bool
    checked: bool
    faults: list[SentenceFaultData]


class WrittenPartData(TypedDict):
    """Points, a paragraph, or what the papers differ on."""

    kind: str
    sentences: list[WrittenSentenceData]


class WrittenAnswerData(TypedDict):
    """The answer of `ask --model`; `offline` is that without a model."""

    question: str
    by: str | None
    papers_read: int
    full_texts: int
    parts: list[WrittenPartData]
    gaps: list[WrittenSentenceData]
    quotes: list[AnswerSourceData]
    offline: AnswerData
    calls: int
    tokens: int
    dollars: float | None
    notices: list[str]


class CitedWorkData(TypedDict):
    """A work that a sentence cites."""

    text: str
    paper: str | None


class CitingSentenceData(TypedDict):
    """A sentence with citations."""

    index: int
    text: str
    works: list[CitedWorkData]


class CitingSentencesData(TypedDict):
    """The answer of `evidence --from PAPER`."""

    paper: str
    sentences: list[CitingSentenceData]


class MatrixRunData(TypedDict):
    """One run that filled a matrix."""

    date: str
    version: str
    by: list[str]
    k: int
    scope: str
    cells: int
    calls: int
    cost: float | None
    ended: str


class QuoteData(TypedDict):
    """A sentence in a cell of a matrix."""

    rank: int
    index: int
    section: str
    kind: str
    page: int | None
    text: str
    score: float
    strength: str
    closeness: str
    locator: str
    stance: str | None
    likely_stance: LikelyStanceData | None
    reason: str
    mark: str | None


class MatrixCellData(TypedDict):
    """What one paper says about one hypothesis; only the first four fields where it is not computed yet."""

    hypothesis: str
    computed: bool
    decision: str | None
    accepted: list[str]
    verdict: NotRequired[str]
    closeness: NotRequired[str]
    level: NotRequired[str | None]
    stance: NotRequired[str | None]
    confidence: NotRequired[float | None]
    reason: NotRequired[str | None]
    why: NotRequired[str]
    count: NotRequired[int]
    strong: NotRequired[int]
    supports: NotRequired[int]
    refutes: NotRequired[int]
    context: NotRequired[int]
    partial: NotRequired[bool]
    ground: NotRequired[str]
    by: NotRequired[str]
    document: NotRequired[str | None]
    date: NotRequired[str]
    calls: NotRequired[int]
    cost: NotRequired[float | None]
    sentences: NotRequired[list[QuoteData]]


class MatrixRowData(TypedDict):
    """A paper of a matrix."""

    paper: str
    id: str | None
    key: str | None
    title: str | None
    authors: list[str]
    year: int | None
    venue: str | None
    retraction: str
    decision: str
    reason: str | None
    cells: list[MatrixCellData]


class MatrixData(TypedDict):
    """The answer of `evidence --query` and `--papers`."""

    matrix: str
    begun: str
    query: str
    hypotheses: list[str]
    k: int
    scope: str
    method: str
    cells: int
    total: int
    notices: list[str]
    audit: list[MatrixRunData]
    rows: list[MatrixRowData]


class MatrixSummaryData(TypedDict):
    """One of the matrices there are."""

    matrix: str
    begun: str
    query: str
    papers: int
    hypotheses: list[str]
    cells: int
    complete: bool


class MatricesData(TypedDict):
    """The answer of `evidence --list`."""

    count: int
    matrices: list[MatrixSummaryData]


class CoderPairData(TypedDict):
    """How far two people agree; `kappa` is `null` where it says nothing."""

    one: str
    other: str
    both: int
    agreed: int
    kappa: float | None


class DisagreementData(TypedDict):
    """A cell that people decided differently."""

    paper: str
    hypothesis: str
    decisions: dict[str, str]


class MergedSheetsData(TypedDict):
    """The answer of `evidence --merge`."""

    coders: list[str]
    pairs: list[CoderPairData]
    disagreements: list[DisagreementData]
    faults: list[str]


class ColumnRunData(TypedDict):
    """One run that filled a table of columns."""

    date: str
    version: str
    by: list[str]
    cells: int
    calls: int
    cost: float | None
    ended: str


class ColumnValueData(TypedDict):
    """A value that a paper states, and its sentence; without one where you wrote it or it is of the record."""

    value: str
    unit: str
    sentence: str | None
    index: int | None
    locator: str | None
    page: int | None


class ColumnCellData(TypedDict):
    """What one paper states of one column; `read`: what was read where you wrote another value."""

    column: str
    computed: bool
    words: str
    values: list[ColumnValueData]
    empty: str | None
    why: str
    by: str
    ground: str | None
    document: str | None
    edited: bool
    read: list[ColumnValueData] | None


class ColumnRowData(TypedDict):
    """A paper of a table of columns."""

    paper: str
    id: str | None
    key: str | None
    title: str | None
    authors: list[str]
    year: int | None
    venue: str | None
    retraction: str
    cells: list[ColumnCellData]


class ColumnTableData(TypedDict):
    """The answer of `extract`."""

    table: str
    begun: str
    query: str
    columns: list[str]
    model: bool
    cells: int
    total: int
    notices: list[str]
    audit: list[ColumnRunData]
    rows: list[ColumnRowData]


class ColumnTableSummaryData(TypedDict):
    """One of the tables of columns there are."""

    table: str
    begun: str
    query: str
    papers: int
    columns: list[str]
    cells: int
    complete: bool


class ColumnTablesData(TypedDict):
    """The answer of `extract --list`."""

    count: int
    tables: list[ColumnTableSummaryData]


class ColumnEditData(TypedDict):
    """The answer of `extract --edit`."""

    paper: str
    column: str
    changed: bool


# Cite and write


class CandidateData(TypedDict):
    """A paper that a mark may refer to; `held`: whether the bibliography of the draft has it."""

    rank: int
    id: str
    title: str
    year: int | None
    score: float
    authors: list[str]
    venue: str
    matched: list[str]
    support: str
    confidence: float | None
    why: list[str]
    key: str
    held: NotRequired[bool]


class ActionData(TypedDict):
    """What the agent did in a step."""

    name: str
    query: str
    paper: str | None


class StepData(TypedDict):
    """A step of the agent."""

    step: int
    thought: str
    action: ActionData
    observation: str
    outcome: str
    counted: bool
    found: list[str]
    calls: int
    tokens: int
    cost: float | None
    at: str


class VoteData(TypedDict):
    """What some runs of the agent say."""

    paper: str | None
    title: str | None
    answered: bool
    runs: int
    trajectories: list[str]


class StatedData(TypedDict):
    """What the excerpt says of the cited work."""

    families: list[str]
    year: int | None


class CiteData(TypedDict):
    """The answer of `cite`."""

    excerpt: str
    by: str
    candidates: list[CandidateData]
    steps: list[StepData]
    lint: str | None
    mark: int
    marks: int
    notices: list[str]
    verdict: str | None
    confidence: float | None
    kind: str
    claim: list[int]
    stated: StatedData
    online_query: str
    trajectory: str
    votes: list[VoteData]


class CiteAllData(TypedDict):
    """The answer of `cite --all-marks`."""

    count: int
    marks: list[CiteData]


class TrajectoryData(TypedDict):
    """A search of the agent, without its steps."""

    trajectory: str
    begun: str
    excerpt: str
    model: str
    host: str
    ended: str
    why: str
    paper: str | None
    run: int
    runs: int
    count: int
    calls: int
    tokens: int
    cost: float | None


class TrajectoriesData(TypedDict):
    """The answer of `cite --replay` without an id."""

    count: int
    trajectories: list[TrajectoryData]


class PositionData(TypedDict):
    """Where a mark or citation stands in a draft; lines and columns from 1."""

    line: int
    column: int
    byte_column: int
    start: int
    end: int


class DraftData(TypedDict):
    """A draft with the files that it takes in."""

    file: str
    files: list[str]
    form: str
    bibliographies: list[str]
    notices: list[str]


class PlacedMarkData(PositionData):
    """An open mark of a draft and what an editor replaces."""

    file: str
    excerpt: str
    candidates: list[CandidateData]
    replace: list[int]
    before: str
    after: str
    trouble: str


class DraftMarkData(PlacedMarkData):
    """An open mark of a draft; with the fields of `cite` where it could be answered."""

    by: NotRequired[str]
    steps: NotRequired[list[StepData]]
    lint: NotRequired[str | None]
    mark: NotRequired[int]
    marks: NotRequired[int]
    notices: NotRequired[list[str]]
    verdict: NotRequired[str | None]
    confidence: NotRequired[float | None]
    kind: NotRequired[str]
    claim: NotRequired[list[int]]
    stated: NotRequired[StatedData]
    online_query: NotRequired[str]
    trajectory: NotRequired[str]
    votes: NotRequired[list[VoteData]]


class DraftMarksData(DraftData):
    """The answer of `cite --file`."""

    count: int
    marks: list[DraftMarkData]


class SupportData(TypedDict):
    """A sentence of the cited paper."""

    index: int
    text: str
    strength: str
    closeness: str
    locator: str


class CheckedCitationData(PositionData):
    """A citation of a draft, checked."""

    file: str
    key: str
    claim: str
    support: str
    id: str | None
    title: str
    by: str
    sentences: list[SupportData]
    notices: list[str]


class DraftCheckData(DraftData):
    """The answer of `cite --file --check`."""

    count: int
    citations: list[CheckedCitationData]


class CheckedRecordData(TypedDict):
    """The record that an entry was held against."""

    title: str
    authors: list[str]
    year: int | None
    venue: str


class FieldDifferenceData(TypedDict):
    """A field of an entry that is not as the record has it."""

    field: str
    degree: str
    stated: str
    known: str
    certain: bool
    line: int | None


class CheckedEntryData(TypedDict):
    """An entry of a bibliography, and what it came to."""

    file: str
    line: int | None
    key: str
    title: str
    status: str
    finding: bool
    id: str | None
    record: CheckedRecordData | None
    source: str
    differences: list[FieldDifferenceData]
    coverage: float | None
    note: str


class BibliographyData(TypedDict):
    """The answer of `check`."""

    file: str
    count: int
    counts: dict[str, int]
    findings: bool
    entries: list[CheckedEntryData]
    undefined_keys: list[str]
    citations: list[CheckedCitationData]
    notices: list[str]


# Library


class MergedRecordData(TypedDict):
    """A record that joined a known paper."""

    title: str
    bibkey: str
    into: str
    into_title: str


class KeptApartData(TypedDict):
    """A new paper that shares an id or a title with another one."""

    id: str
    title: str
    other: str
    other_title: str
    shared_id: str


class FailureData(TypedDict):
    """An input that could not be imported."""

    origin: str
    cause: str
    transient: bool
    at: str


class ImportReportData(TypedDict):
    """The answer of `add` for files."""

    added: int
    merged: int
    unchanged: int
    documents: int
    skipped_files: int
    elapsed_s: float
    first_ids: list[str]
    merges: list[MergedRecordData]
    kept_apart: list[KeptApartData]
    failures: list[FailureData]
    remarks: list[str]


class FetchResultData(TypedDict):
    """What came of one id."""

    asked: str
    outcome: str
    id: str | None
    title: str
    via: str
    licence: str
    version: str
    why: str
    transient: bool


class FetchData(TypedDict):
    """The answer of `fetch`, and of `add` for ids."""

    papers: list[FetchResultData]


class AddData(ImportReportData):
    """The answer of `add` for files and ids together."""

    papers: list[FetchResultData]


class RetryData(AddData):
    """The answer of `failures --retry`."""

    left: int


class FailuresData(TypedDict):
    """The answer of `failures`."""

    count: int
    failures: list[FailureData]


class DismissedData(TypedDict):
    """The answer of `failures --dismiss`."""

    dismissed: int


class LibraryImportData(TypedDict):
    """What papers came from."""

    name: str
    format: str
    origin: str
    papers: int
    merged: int
    imported_on: str
    mine: bool


class ImportsData(TypedDict):
    """The answer of `imports`."""

    count: int
    imports: list[LibraryImportData]


class TakenBackData(TypedDict):
    """The answer of `imports --remove` and `remove --import`."""

    removed: int
    changed: int


class CollectionData(TypedDict):
    """A collection."""

    name: str
    papers: int
    own_papers: int
    depth: int


class CollectionsData(TypedDict):
    """The answer of `collections`."""

    count: int
    collections: list[CollectionData]


class RenamedData(TypedDict):
    """The answer of `collections --rename`."""

    renamed: str


class DeletedCollectionsData(TypedDict):
    """The answer of `collections --delete`: how many."""

    deleted: int


class SubscriptionData(TypedDict):
    """A collection of a service that is kept up to date."""

    source: str
    query: str
    years: list[int | None]
    venues: list[str]
    limit: int
    papers: int
    complete: bool
    synced_at: str
    trouble: str


class SubscriptionsData(TypedDict):
    """The answer of `sync --list`."""

    subscriptions: list[SubscriptionData]


class SyncedData(SubscriptionData, ImportReportData):
    """What a synchronisation did."""

    transient: bool


class SyncData(TypedDict):
    """The answer of `sync`; `folder` is the watched folder's."""

    synced: list[SyncedData]
    watches: list[NewsData]
    folder: NotRequired[ImportReportData]


class CountedServiceData(TypedDict):
    """How many counts a service gave."""

    source: str
    asked: int
    known: int
    trouble: str
    transient: bool


class CountsReportData(TypedDict):
    """What came of a request for citation counts."""

    papers: int
    fresh: int
    services: list[CountedServiceData]


class SyncCountsData(TypedDict):
    """The answer of `sync counts`."""

    counts: CountsReportData


class EncoderData(TypedDict):
    """The answer of `encode` and `config encoder`; `encoder` alone, as `null`, where none is set."""

    encoder: str | None
    licence: NotRequired[str | None]
    papers: NotRequired[int]
    encoded: NotRequired[int]
    bytes: NotRequired[int]
    running: NotRequired[bool]
    stopped: NotRequired[bool]


class DuplicateData(TypedDict):
    """A record that may be that of another."""

    id: str
    aliases: list[str]
    title: str
    authors: list[str]
    year: int | None
    venue: str


class DuplicatesData(TypedDict):
    """The answer of `duplicates`; a pair is two records."""

    count: int
    pairs: list[list[DuplicateData]]
    shared: list[str]


class MergedData(TypedDict):
    """The answer of `duplicates --merge`."""

    shown: str
    merged: str


class ApartData(TypedDict):
    """The answer of `duplicates --apart`."""

    apart: list[str]
    changed: bool


class SplitData(TypedDict):
    """The answer of `duplicates --split`."""

    kept: DuplicateData
    apart: DuplicateData


class AttachedData(TypedDict):
    """The answer of `attach`; `annotations` is a number."""

    id: str
    title: str
    full_text: bool
    annotations: int


class EditedData(TypedDict):
    """The answer of `edit`."""

    id: str
    title: str
    authors: list[str]
    year: int | None
    bibkey: str
    is_title_certain: bool


class RemovedPapersData(TypedDict):
    """The answer of `remove --list`."""

    count: int
    removed: list[str]


class RemovedData(TypedDict):
    """The answer of `remove`."""

    removed: int


class RestoredData(TypedDict):
    """The answer of `remove --undo PAPER`."""

    restored: int


class BackupContentsData(TypedDict):
    """What a backup holds; `bytes` before packing, by part of the data."""

    made: str
    litterm: str
    papers: int
    files: int
    bytes: dict[str, int]


class BackupData(BackupContentsData):
    """The answer of `backup`."""

    file: str
    bytes_on_disk: int


class RestoreData(BackupContentsData):
    """The answer of `restore`."""

    library: str
    notices: list[str]


# Set-up and measuring


class DiagnosisData(TypedDict):
    """A finding of `doctor`."""

    name: str
    value: str
    where: str
    state: str
    hint: str


class MissingData(TypedDict):
    """What is missing, why it matters, and what to do."""

    what: str
    why: str
    how: str


class DoctorData(TypedDict):
    """The answer of `doctor`."""

    versions: list[DiagnosisData]
    folders: list[DiagnosisData]
    settings: list[DiagnosisData]
    library: list[DiagnosisData]
    index: list[DiagnosisData]
    model: list[DiagnosisData]
    services: list[DiagnosisData]
    terminal: list[DiagnosisData]
    package: list[DiagnosisData]
    missing: list[MissingData]


class ProbeData(TypedDict):
    """The answer of a model to one tiny request."""

    host: str
    model: str
    address: str
    seconds: float
    structured: str
    tokens: int


class ModelSetData(TypedDict):
    """The answer of `config model`; `proof` is `null` where nothing was sent."""

    settings: str
    proof: ProbeData | None


class CachedFilesData(TypedDict):
    """Files of a cache."""

    files: int
    bytes: int


class CacheData(TypedDict):
    """The answer of `cache`."""

    folder: str
    cleared: bool
    replies: CachedFilesData
    grades: CachedFilesData
    endpoints: CachedFilesData
    answers: CachedFilesData


class MadeData(TypedDict):
    """The answer of `make`."""

    made: int
    looked_at: int
    left_out: dict[str, int]


class RequestsData(TypedDict):
    """The answer of `make --model --dry-run`."""

    requests: int
    cost: float | None
    tokens: int


class DrawnData(TypedDict):
    """The answer of `agree draw`."""

    file: str
    kind: str
    development: int
    test: int


class GradesOfSheetData(TypedDict):
    """How many grades a sheet holds, and how many are empty."""

    grades: int
    empty: int


class GradesData(TypedDict):
    """The answer of `agree merge`."""

    graders: dict[str, GradesOfSheetData]
    faults: list[str]


class FreezeData(TypedDict):
    """Model and prompt as they were fixed."""

    model: str
    model_hash: str
    prompt_hash: str
    at: str


class FrozenData(TypedDict):
    """The answer of `agree freeze`."""

    frozen: FreezeData | None


class IntervalData(TypedDict):
    """A figure with bounds of 95 %; `null` is undefined."""

    value: float | None
    low: float | None
    high: float | None


class AgreementRowData(TypedDict):
    """How far two graders agree."""

    name: str
    cells: int
    metrics: dict[str, IntervalData]


class GradedCellData(TypedDict):
    """A cell on which graders disagree."""

    paper: str
    text: str
    sentence: int | str | None
    grades: dict[str, int | str]


class AgreementReportData(TypedDict):
    """The answer of `agree test`."""

    part: str
    kind: str
    cells: int
    graders: dict[str, int]
    model: str
    rows: list[AgreementRowData]
    difference: dict[str, IntervalData]
    p: dict[str, float]
    compared: int
    papers: int
    like_a_person: bool | None
    disagreements: list[GradedCellData]
    notices: list[str]


class AgreeData(TypedDict):
    """The answer of `agree report`."""

    kind: str
    frozen: FreezeData | None
    development: AgreementReportData
    test: AgreementReportData
    mark: MarkOfAgreement


class MetricData(TypedDict):
    """A figure of a benchmark, with that over its baseline."""

    mean: float | None
    se: float | None
    gain: NotRequired[float | None]
    gain_se: NotRequired[float | None]


class BenchPartData(TypedDict):
    """The figures of a part of the data."""

    n: int
    metrics: dict[str, MetricData]


class BenchRowData(TypedDict):
    """The figures of one method."""

    method: str
    metrics: dict[str, MetricData]
    base: NotRequired[str]
    parts: NotRequired[dict[str, dict[str, BenchPartData]]]


class FigureData(TypedDict):
    """A figure beside a published one."""

    mean: float
    se: float | None


class ComparedRowData(TypedDict):
    """A row of a table with published figures."""

    name: str
    cells: dict[str, FigureData]
    why: str


class ComparedTableData(TypedDict):
    """A table with published figures; `published` and `ours` name its columns."""

    title: str
    data: str
    published: list[str]
    ours: list[str]
    rows: list[ComparedRowData]
    notes: list[str]


class BenchData(TypedDict):
    """The answer of `bench`."""

    bench: str
    data: str
    n: int
    rows: list[BenchRowData]
    notes: list[str]
    tables: NotRequired[list[ComparedTableData]]


ANSWERS: Mapping[str, tuple[type, ...]] = {
    "search": (SearchData,),
    "rerun": (RerunData,),
    "ask": (AnswerData, WrittenAnswerData),
    "first": (FirstData,),
    "list": (ReadingListData, ListsData, DeletedData, ExpertListData),
    "find": (FindData,),
    "watch": (WatchesData, WatchData, ForgottenData),
    "refs": (ReferencesData,),
    "cited-by": (CitationsData,),
    "sql": (SqlData,),
    "show": (ShowData,),
    "mark": (MarkData,),
    "undo": (UndoneData, RedoneData, ChangesData),
    "evidence": (EvidenceData, CitingSentencesData, MatrixData, MatricesData, MergedSheetsData, DeletedData),
    "extract": (ColumnTableData, ColumnTablesData, DeletedData, ColumnEditData),
    "cite": (CiteData, CiteAllData, TrajectoriesData, DraftMarksData, DraftCheckData),
    "check": (BibliographyData,),
    "add": (ImportReportData, FetchData, AddData),
    "failures": (FailuresData, RetryData, DismissedData),
    "imports": (ImportsData, TakenBackData),
    "collections": (CollectionsData, RenamedData, DeletedCollectionsData),
    "sync": (SyncData, SubscriptionsData, SyncCountsData, ImportReportData),
    "fetch": (FetchData,),
    "encode": (EncoderData,),
    "config": (ModelSetData, EncoderData),
    "cache": (CacheData,),
    "duplicates": (DuplicatesData, MergedData, ApartData, SplitData, UndoneData),
    "attach": (AttachedData, UndoneData),
    "edit": (EditedData,),
    "doctor": (DoctorData,),
    "remove": (RemovedData, RemovedPapersData, TakenBackData, RestoredData, UndoneData),
    "backup": (BackupData,),
    "restore": (RestoreData,),
    "make": (MadeData, RequestsData),
    "agree": (DrawnData, GradesData, FrozenData, AgreeData, AgreementReportData),
    "bench": (BenchData,),
}
"""By command what it may print, each with the options that ask for it in its own description."""
