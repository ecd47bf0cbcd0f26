"""By command the types of what it prints with `--json`; JSON Schemas are generated from them (`tools/schemas.py`).

A type stands beside the function that makes the data, or in the module of its feature; no command loads this module.
Whoever adds a field raises the version of its command in `render/json.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypedDict

from litterm.render.agreement import AgreeData, AgreementReportData, DrawnData, FrozenData, GradesData
from litterm.render.answers import AnswerData
from litterm.render.attribution.bibliographies import BibliographyData
from litterm.render.attribution.candidates import CiteAllData, CiteData
from litterm.render.attribution.drafts import DraftCheckData, DraftMarksData
from litterm.render.attribution.trajectory import TrajectoriesData
from litterm.render.backup import BackupData, RestoreData
from litterm.render.bench import BenchData
from litterm.render.cache import CacheData
from litterm.render.changes import ChangesData, RedoneData, UndoneData
from litterm.render.citations.citing_sentences import CitingSentencesData
from litterm.render.citations.first_papers import FirstData
from litterm.render.citations.listed_works import CitationsData, ReferencesData
from litterm.render.collections import CollectionsData, DeletedCollectionsData, RenamedData
from litterm.render.columns.json import ColumnEditData, ColumnTableData, ColumnTablesData
from litterm.render.cost import ModelSetData
from litterm.render.doctor import DoctorData
from litterm.render.duplicates import ApartData, DuplicatesData, MergedData, SplitData
from litterm.render.edits import AttachedData, EditedData, RemovedData, RemovedPapersData, RestoredData
from litterm.render.encoder import EncoderData
from litterm.render.evidence import EvidenceData
from litterm.render.fetch import FetchData, FindData
from litterm.render.imports import (
    AddData,
    DismissedData,
    FailuresData,
    ImportReportData,
    ImportsData,
    RetryData,
    TakenBackData,
)
from litterm.render.json import MarkData, SearchData, ShowData
from litterm.render.matrix.json import MatricesData, MatrixData, MergedSheetsData
from litterm.render.reading_lists.expert_list import ExpertListData
from litterm.render.reading_lists.reading_list import ListsData, ReadingListData
from litterm.render.search_records import RerunData
from litterm.render.sql import SqlData
from litterm.render.subscriptions import SubscriptionsData, SyncCountsData, SyncData
from litterm.render.test_sets import MadeData, RequestsData
from litterm.render.watches import ForgottenData, WatchData, WatchesData
from litterm.render.written_answers import WrittenAnswerData


class DeletedData(TypedDict):
    """The answer of `--delete`: what was deleted."""

    deleted: str


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
