"""The JSON of the findings of `doctor`."""

from __future__ import annotations

from typing import TypedDict


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
