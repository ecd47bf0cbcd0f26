"""`python -m litterm_training.facts FOLDER ANTHOLOGY`: the citation facts that ship, in one file.

FOLDER holds what was taken from public collections (`names`, `contexts`, `edges`, `counts`, and the files `-extra`, all
`.jsonl.gz`), ANTHOLOGY is the archive of the Anthology's XML, which tells which words were in use before a paper made a
name of them. What comes from the files `-extra` is marked, and no part of the bench build. Counts of Google Scholar are
left out, and so are sentences: of each cited paper the stems near its marks are counted (`litterm_training.profiles`).
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import tarfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from litterm.citations.shipped import anthology_year
from litterm.library.citation_facts.shipped import FACTS_FILE, ProfileArrays, name_key, title_id
from litterm.library.index.array_file import pack_strings, write_pack
from litterm.model.citations.facts import NAME_USAGES, NETWORK_YEAR, NameUsage
from litterm.model.paper import PaperId
from litterm.text.references.identity import make_id
from litterm_training.profiles import StemCounts, context_stems, open_texts, text_of

_SCHEMES = {"acl": "acl", "openreview": "iclr", "arxiv": "arxiv", "doi": "doi", "pmid": "pmid"}
"""Schemes of the files, the most telling first, as litterm calls them."""
_SOURCE_NAMES = {
    "ARBML/masader": "Masader",
    "EleutherAI/lm-evaluation-harness": "LM Evaluation Harness",
    "IndoNLP/nusa-crowd": "NusaCrowd",
    "RUCAIBox/LLMSurvey": "LLMSurvey",
    "SEACrowd/seacrowd-datahub": "SEACrowd",
    "allenai/allennlp-models": "AllenNLP",
    "allenai/ir_datasets": "ir_datasets",
    "bigscience-workshop/biomedical": "BigBIO",
    "embeddings-benchmark/mteb": "MTEB",
    "facebookresearch/ParlAI": "ParlAI",
    "huggingface/datasets": "Hugging Face data sets",
    "huggingface/evaluate": "Hugging Face metrics",
    "huggingface/transformers": "Hugging Face models",
    "keon/awesome-nlp": "awesome-nlp",
    "nf-core/modules": "nf-core",
    "open-compass/opencompass": "OpenCompass",
    "pyg-team/pytorch_geometric": "PyTorch Geometric",
    "sebastianruder/NLP-progress": "NLP-progress",
    "stanford-crfm/helm": "HELM",
    "tensorflow-datasets": "TensorFlow data sets",
    "thunlp/GNNPapers": "GNNPapers",
    "thunlp/PLMpapers": "PLMpapers",
    "thunlp/RCPapers": "RCPapers",
    "thunlp/TAADpapers": "TAADpapers",
    "citing sentences": "citing sentences",
}
_TEXTS = re.compile(r"(.*) \((\d+)\)")
_NETWORK = "ACL Anthology Network"


def ids_of(ids: Mapping[str, str]) -> tuple[PaperId, ...]:
    """The ids of a row as litterm writes them, the most telling first; what is none is left out."""
    made = (make_id(ours, re.sub(r"\.pdf$", "", ids[theirs])) for theirs, ours in _SCHEMES.items() if ids.get(theirs))
    return tuple(paper_id for paper_id in made if paper_id is not None)


def own_id(paper_id: str) -> str:
    """The id of an edge, count or context as litterm writes it."""
    scheme, _, key = paper_id.partition(":")
    return f"title:{key}" if scheme == "title" else make_id(_SCHEMES[scheme], key) or paper_id


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of one file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


# Which words were in use


@dataclass(slots=True)
class WordUses:
    """How the titles and abstracts of the Anthology write the words of names."""

    lower: dict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    """Per word the number of texts of each year that hold it in lower-case letters."""
    forms: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    """Per word its spellings, with the number of texts."""
    phrases: dict[str, Counter[int]] = field(default_factory=lambda: defaultdict(Counter))
    """Per name of several words the number of texts of each year that hold it in lower-case letters."""

    def earlier(self, word: str, year: int | None) -> int:
        """Texts with `word` in lower-case letters before `year`; in all years where it is unknown, or most do so."""
        used = self.lower.get(word, Counter())
        if 2 * self.forms[word][word] > self.forms[word].total():
            year = None
        return _before(used, year)

    def phrase_earlier(self, key: str, year: int | None) -> int:
        """Texts that hold all words of `key` one after the other, in lower-case letters, before `year`."""
        return _before(self.phrases.get(key, Counter()), year)

    def usual_form(self, word: str) -> str:
        """The spelling of `word` in most texts; `word` itself where none has the majority."""
        form, count = max(self.forms[word].items(), key=lambda item: item[1], default=(word, 0))
        # With a capital letter at its beginning alone it is more likely a surname or the beginning of a title.
        return form if 2 * count > self.forms[word].total() and form[1:] != form[1:].lower() else word


def _before(counts: Mapping[int, int], year: int | None) -> int:
    return sum(count for used, count in counts.items() if year is None or used < year)


_TEXT = re.compile(r"<(?:title|abstract)>(.*?)</(?:title|abstract)>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_TOKEN = re.compile(r"(?<![\w-])[A-Za-z][A-Za-z0-9]*(?![\w-])")
_PARTS = re.compile(r"[A-Za-z0-9]+|[^\sA-Za-z0-9-]")


def read_word_uses(archive: Path, keys: Iterable[str]) -> WordUses:
    """How the Anthology writes the words of `keys`, and when it used those of several words."""
    uses = WordUses()
    wanted = {word for key in keys for word in key.split()}
    longer: dict[str, list[str]] = defaultdict(list)
    for key in keys:
        if " " in key:
            longer[key.split()[0]].append(key)
    with tarfile.open(archive, "r|gz") as files:
        for member in files:
            content = files.extractfile(member) if member.name.endswith(".xml") else None
            if content is not None:
                year = anthology_year(PaperId(f"acl:{Path(member.name).name}")) or 0
                for text in _TEXT.findall(content.read().decode("utf-8", "replace")):
                    _count_text(_TAG.sub("", text), year, wanted, longer, uses)
    return uses


def _count_text(text: str, year: int, wanted: set[str], longer: Mapping[str, Sequence[str]], uses: WordUses) -> None:
    for token in set(_TOKEN.findall(text)):
        if (word := token.lower()) in wanted:
            uses.forms[word][token] += 1
            if token.islower():
                uses.lower[word][year] += 1
    # What is no lower-case word parts phrases; a hyphen and a blank do not.
    lower_words = [part if part.isalnum() and part == part.lower() else "|" for part in _PARTS.findall(text)]
    joined = f" {' '.join(lower_words)} "
    for word in longer.keys() & lower_words:
        for key in longer[word]:
            if f" {key} " in joined:
                uses.phrases[key][year] += 1


# Names


@dataclass(slots=True)
class NameRow:
    """One name of one paper, with all who say so."""

    name: str
    kind: str
    ids: tuple[PaperId, ...]
    title: str
    year: int | None
    author: str
    sources: dict[str, int]
    """Keys of the collections, with the number of texts where it is citing sentences; else 0."""
    rivals: int
    extra: bool
    usage: NameUsage = "coined"


_KINDS = ("dataset", "benchmark", "model", "method", "metric", "tool", "cited name", "term")
"""The most telling first: of several kinds the first is kept."""
_MIN_EARLIER_USES = 2
"""Texts before the paper that make ordinary words of a name."""
_MAX_EARLIER_WORDS = 40
"""Texts before the paper in which one word may stand, before it is a topic."""
_MAX_EARLIER_PHRASES = 3
"""The same of several words, one after the other."""
_FIRST_TERMS_YEAR = 2000
"""Before this year too few abstracts are known to tell who first used a term."""


def read_names(folder: Path) -> list[NameRow]:
    """The names of both builds, one row for each name, paper and build."""
    rows: dict[tuple[str, bool], list[NameRow]] = defaultdict(list)
    for file, extra in (("names.jsonl.gz", False), ("names-extra.jsonl.gz", True)):
        for row in read_rows(folder / file):
            ids, title = ids_of(row["ids"]), " ".join((row["title"] or "").split())
            sources = dict(map(_source, row["sources"]))
            new = NameRow(
                row["name"], row["kind"], ids, title, row["year"], row["first_author"] or "", sources,
                row.get("rivals", 0), extra,
            )  # fmt: skip
            if name_key(new.name) and (ids or title):
                _add_name(rows[name_key(new.name), extra], new)
    listed = [row for same in rows.values() for row in same]
    return sorted(listed, key=lambda row: (name_key(row.name), row.extra, row.ids, row.title))


def _add_name(same: list[NameRow], new: NameRow) -> None:
    """Adds `new` to the rows of its name, joined with those of its paper."""
    for row in list(same):
        same_title = bool(row.title) and title_id(row.title) == title_id(new.title)
        if same_title or not set(row.ids).isdisjoint(new.ids):
            same.remove(row)
            new = _joined(row, new)
    same.append(new)


def _source(text: str) -> tuple[str, int]:
    match = _TEXTS.fullmatch(text)
    return (match[1], int(match[2])) if match else (text.removesuffix(" (PyPI)"), 0)


def _joined(one: NameRow, other: NameRow) -> NameRow:
    first = min(one, other, key=lambda row: (_KINDS.index(row.kind), row.name.islower()))
    # A name typed with capital letters is how its authors write it; loaders write all names in small letters.
    name = min(one.name, other.name, key=lambda text: (text.islower(), text.isupper(), text))
    ids = tuple(dict.fromkeys((*one.ids, *other.ids)))
    return NameRow(
        name, first.kind, ids, first.title or one.title or other.title, first.year or one.year or other.year,
        first.author or one.author or other.author,
        one.sources | other.sources, max(one.rivals, other.rivals), one.extra,
    )  # fmt: skip


def settle_names(names: Sequence[NameRow], uses: WordUses) -> list[NameRow]:
    """`names` as the field writes them, each with how common its words are; without those that are topics."""
    kept = []
    for row in names:
        key = name_key(row.name)
        if row.name == key:
            row.name = " ".join(map(uses.usual_form, key.split())) if " " not in key else row.name
        row.usage = _usage_of(key, row, uses)
        if row.usage != "topic" or not row.name.islower():
            kept.append(row)
    return kept


def _usage_of(key: str, row: NameRow, uses: WordUses) -> NameUsage:
    words_of_key = key.split()
    if len(words_of_key) > 1:
        early_term = row.kind == "term" and (row.year is None or row.year < _FIRST_TERMS_YEAR)
        if early_term or uses.phrase_earlier(key, row.year) > _MAX_EARLIER_PHRASES:
            return "topic"
    earlier = min(uses.earlier(word, row.year) for word in words_of_key)
    if earlier > _MAX_EARLIER_WORDS and len(words_of_key) == 1:
        return "topic"
    return "words" if earlier >= _MIN_EARLIER_USES else "coined"


def name_arrays(names: Sequence[NameRow], licences: Mapping[str, Mapping[str, str]]) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of names, as `ShippedFacts` reads them."""
    sources = sorted({source for row in names for source in row.sources})
    numbers = {source: number for number, source in enumerate(sources)}
    exact, variants = defaultdict(list), defaultdict(list)
    for number, row in enumerate(names):
        key = name_key(row.name)
        exact[key].append(number)
        for variant in variants_of(row.name) - {key}:
            variants[variant].append(number)
    keys = sorted(exact.keys() | variants.keys())
    of_keys = [(*exact[key], *variants[key]) for key in keys]
    by_id: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(names):
        for paper_id in {*row.ids, *([title_id(row.title)] if row.title else [])}:
            by_id[paper_id].append(number)
    ids = sorted(by_id)
    encoded = [
        json.dumps(
            [
                row.name, row.kind, row.ids, row.title, row.year, row.author,
                sorted((numbers[source], texts) for source, texts in row.sources.items()), row.rivals,
                NAME_USAGES.index(row.usage),
            ],
            ensure_ascii=False, separators=(",", ":"),
        )
        for row in names
    ]  # fmt: skip
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    arrays["name_key"], arrays["name_key_at"] = pack_strings(keys)
    arrays["name_start"] = np.cumsum([0, *map(len, of_keys)]).astype(np.int32)
    arrays["name_of_key"] = np.array([number for numbers in of_keys for number in numbers], np.int32)
    arrays["name_exact"] = np.array([len(exact[key]) for key in keys], np.uint8)
    arrays["name_row"], arrays["name_row_at"] = pack_strings(encoded)
    arrays["name_extra"] = np.array([row.extra for row in names], np.uint8)
    arrays["name_id"], arrays["name_id_at"] = pack_strings(ids)
    arrays["name_id_start"] = np.cumsum([0, *(len(by_id[paper_id]) for paper_id in ids)]).astype(np.int32)
    arrays["name_of_id"] = np.array([number for paper_id in ids for number in by_id[paper_id]], np.int32)
    first_words = sorted({key.split()[0] for key in exact if exact[key]})
    arrays["first_word"] = np.frombuffer("\n".join(first_words).encode(), np.uint8)
    arrays["max_name_words"] = np.array([max(len(key.split()) for key in exact)], np.int32)
    listed = [_source_fields(source, licences) for source in sources]
    arrays["source"] = np.frombuffer(json.dumps(listed, ensure_ascii=False).encode(), np.uint8)
    return arrays


_WORD_EDGE = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Z])(?=[0-9])")
"""Where a name may be divided in two words: WikiText, BERTScore, XLM2."""
_MIN_JOINED_CHARS = 5
"""A shorter name of several words is not looked up as one."""


def variants_of(name: str) -> set[str]:
    """The keys of `name` with its words joined to one, and divided where a capital letter or a number begins."""
    joined = name_key(name).replace(" ", "")
    divided = name_key(_WORD_EDGE.sub(" ", name))
    return {divided, *([joined] if len(joined) >= _MIN_JOINED_CHARS else [])}


def _source_fields(source: str, licences: Mapping[str, Mapping[str, str]]) -> tuple[str, str, str, str]:
    base = re.split(r"[@ ]", source)[0] if source != "citing sentences" else source
    stated = licences.get(base) or licences.get(f"pypi:{base.rpartition('/')[2]}") or {}
    return source, _SOURCE_NAMES[base], stated.get("licence", ""), stated.get("commit", "")


# Words near marks


def read_stem_counts(folder: Path) -> StemCounts:
    """The stems near the marks of the bench build."""
    rows = list(read_rows(folder / "contexts.jsonl.gz"))
    licences = json.loads((folder / "sources.json").read_text("utf-8"))
    contexts = ((own_id(row["target"]["id"]), row["text"], text_of(row["source"])) for row in rows)
    return StemCounts(contexts, open_texts({row["source"] for row in rows}, licences))


def profiles_of(arrays: ProfileArrays) -> dict[str, tuple[int, dict[str, int]]]:
    """Per cited paper the number of texts that cite it, and of those that hold each stem near a mark."""
    profiles = {}
    for place, (paper, texts) in enumerate(zip(arrays.papers, arrays.texts.tolist(), strict=True)):
        held = slice(*arrays.starts[place : place + 2].tolist())
        stems = (arrays.stems[number] for number in arrays.stem_numbers[held].tolist())
        profiles[paper] = texts, dict(zip(stems, arrays.counts[held].tolist(), strict=True))
    return profiles


def read_profiles(folder: Path) -> dict[str, tuple[int, dict[str, int], bool]]:
    """The profiles of both builds by paper, and whether each is of the rest."""
    bench = profiles_of(read_stem_counts(folder).profiles())
    profiles = {paper_id: (*profile, False) for paper_id, profile in bench.items()}
    for row in read_rows(folder / "profiles-extra.jsonl.gz"):
        counts: dict[str, int] = {}
        for written, count in row["stems"].items():
            # These were made by another tokenizer, which leaves compounds whole.
            for near in context_stems(written):
                counts[near] = max(counts.get(near, 0), count)
        if counts:
            profiles.setdefault(own_id(row["id"]), (row["texts"], dict(sorted(counts.items())), True))
    return profiles


# Papers, edges, counts


def paper_arrays(folder: Path) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of edges, counts and profiles, as `ShippedFacts` reads them."""
    edges: dict[tuple[str, str], bool] = {}
    for file, extra in (("edges.jsonl.gz", False), ("edges-extra.jsonl.gz", True)):
        for row in read_rows(folder / file):
            edges.setdefault((own_id(row["to"]), own_id(row["from"])), extra)
    counts = {
        own_id(row["id"]): int(row["count"])
        for row in read_rows(folder / "counts.jsonl.gz")
        if row["sources"][0].startswith(_NETWORK)
    }
    profiles = read_profiles(folder)
    papers = sorted({paper for edge in edges for paper in edge} | counts.keys() | profiles.keys())
    place = {paper: number for number, paper in enumerate(papers)}
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    arrays["paper"], arrays["paper_at"] = pack_strings(papers)
    arrays |= _edge_arrays(
        {(place[cited], place[citing]): extra for (cited, citing), extra in edges.items()}, len(papers)
    )
    arrays |= _count_arrays(papers, counts, edges)
    return arrays | _profile_arrays(profiles, place)


def _edge_arrays(edges: Mapping[tuple[int, int], bool], papers: int) -> dict[str, np.ndarray[Any, Any]]:
    ordered = sorted(edges)
    cited = np.array([edge[0] for edge in ordered], np.int64)
    return {
        "cited_start": np.searchsorted(cited, np.arange(papers + 1)).astype(np.int32),
        "citing": np.array([edge[1] for edge in ordered], np.uint16),
        "edge_extra": np.array([edges[edge] for edge in ordered], np.uint8),
    }


def _count_arrays(
    papers: Sequence[str], counts: Mapping[str, int], edges: Mapping[tuple[str, str], bool]
) -> dict[str, np.ndarray[Any, Any]]:
    """Counts of both builds: a paper of the rest has as many as the edges between papers of the Network say."""
    cited = Counter(to for to, citing in edges if _in_network(to) and _in_network(citing))
    bench = np.array([counts.get(paper, -1) for paper in papers], np.int32)
    return {
        "bench_count": bench,
        "count": np.array([max(counts.get(paper, -1), cited[paper] or -1) for paper in papers], np.int32),
    }


def _in_network(paper: str) -> bool:
    """Whether the paper is one of the years that the Network holds, all of which have ids of the older form."""
    return bool(_NETWORK_ID.fullmatch(paper)) and (anthology_year(PaperId(paper)) or 0) <= NETWORK_YEAR


_NETWORK_ID = re.compile(r"acl:[A-Z]\d\d-\d{4}")


def _profile_arrays(
    profiles: Mapping[str, tuple[int, dict[str, int], bool]], place: Mapping[str, int]
) -> dict[str, np.ndarray[Any, Any]]:
    ordered = sorted(profiles, key=place.__getitem__)
    stems = sorted({near for _, counts, _ in profiles.values() for near in counts})
    numbers = {near: number for number, near in enumerate(stems)}
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    arrays["stem"], arrays["stem_at"] = pack_strings(stems)
    rows = [profiles[paper] for paper in ordered]
    arrays["profile_paper"] = np.array([place[paper] for paper in ordered], np.int32)
    arrays["profile_texts"] = np.array([texts for texts, _, _ in rows], np.uint16)
    arrays["profile_extra"] = np.array([extra for _, _, extra in rows], np.uint8)
    arrays["profile_start"] = np.cumsum([0, *(len(counts) for _, counts, _ in rows)]).astype(np.int32)
    arrays["profile_stem"] = np.array([numbers[near] for _, counts, _ in rows for near in counts], np.uint16)
    arrays["profile_count"] = np.array([count for _, counts, _ in rows for count in counts.values()], np.uint16)
    return arrays


def main(argv: list[str] | None = None) -> None:
    """Writes the file."""
    parser = argparse.ArgumentParser(prog="python -m litterm_training.facts", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("anthology", type=Path)
    parser.add_argument("--out", type=Path, default=FACTS_FILE)
    typed = parser.parse_args(argv)
    names = read_names(typed.folder)
    names = settle_names(names, read_word_uses(typed.anthology, {name_key(row.name) for row in names}))
    licences = json.loads((typed.folder / "sources.json").read_text("utf-8"))
    write_pack(typed.out, name_arrays(names, licences) | paper_arrays(typed.folder))


if __name__ == "__main__":
    main()
