"""Every example in the documents can be typed: commands are read, settings and keys exist, Python runs."""

from __future__ import annotations

import ast
import json
import re
import shlex
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
from documents import CHECKOUT, PAGES, everything, page

from litterm.cli.commands import COMMANDS_BY_NAME
from litterm.cli.parser import build_parser, parse
from litterm.core.settings import load
from litterm.core.settings.options import OPTIONS
from litterm.importers.reader import FileReader
from litterm.model.library import Parsed
from litterm.tui.input.keymap import BY_ID, MEANINGS_BY_PANE, TABLE, KeyBinding, remap, shown_key, textual_key

TEXT = everything()
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ALL = build_parser()
_ENDS = frozenset({"&&", "||", "|", ";", ">", ">>", "<"})


def blocks(*languages: str) -> list[str]:
    return [match[2] for match in _BLOCK.finditer(TEXT) if match[1] in languages]


def commands(line: str) -> list[list[str]]:
    """The commands of a line of shell, each without where it reads and writes."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    found: list[list[str]] = [[]]
    for word in lexer:
        if word in _ENDS:
            found.append([])
        else:
            found[-1].append(word)
    return [each for each in found if each]


def typed() -> list[str]:
    """Every line of the examples for a shell."""
    lines = [line for block in blocks("sh", "") for line in block.splitlines()]
    return [line for line in lines if re.search(r"\b(litterm|pip|python) ", line)]


def named() -> list[str]:
    """Every command in running text."""
    return sorted(set(re.findall(r"`(litterm [^`\n]+)`", _BLOCK.sub("", TEXT))))


def recipes() -> set[str]:
    """What `just` can do."""
    return set(re.findall(r"^(\w+)[^:=\n]*:", page("justfile"), re.MULTILINE))


def test_recipes_named_in_the_text_exist() -> None:
    named = set(re.findall(r"`just (\w+)", TEXT))
    assert len(named) > 4
    assert named <= recipes()


def test_there_are_examples() -> None:
    assert len(typed()) > 20 and len(named()) > 40 and len(blocks("toml")) >= 1 and len(blocks("python")) >= 1


@pytest.mark.parametrize("line", typed())
def test_every_command_of_the_examples_can_be_read(line: str) -> None:
    for words in commands(line):
        if words[0] == "litterm":
            parse(words[1:])
        elif words[:2] == ["python", "-m"]:
            assert import_module(words[2])
        elif words[0] == "just":
            assert words[1] in recipes()
        else:
            assert words[0] in ("pip", "pytest", "jq", "paper.bib", "pruning.bib", "key.txt")


@pytest.mark.parametrize("text", named())
def test_every_command_named_in_the_text_exists_with_its_options(text: str) -> None:
    words = re.findall(r"(?<![\w-])--?[a-zA-Z][\w-]*|\w[\w-]*", text)
    verb = words[1] if words[1:] and words[1] in COMMANDS_BY_NAME else ""
    assert verb or words[1:2] in ([], ["--version"], ["--project"], ["--home"], ["--plain"], ["--offline"]), text
    known = {option for action in ALL.actions() for option in action.option_strings}
    known |= {option for action in ALL.parser_of(verb).actions() for option in action.option_strings} if verb else set()
    assert {word for word in words if word.startswith("--")} <= known


@pytest.mark.parametrize("block", blocks("toml"))
def test_the_settings_of_the_examples_exist_and_so_do_the_keys(block: str, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(block, "utf-8")
    settings = load({"home": str(tmp_path)}, {})
    body = tomllib.loads(block)
    keys = body.pop("keys", {})
    names = {each for name, value in body.items() for each in _names(name, value)}
    assert names <= {option.name for option in OPTIONS}
    assert dict(settings.keys) == keys
    assert remap(dict(settings.keys)).conflicts == ()


def _names(name: str, value: object) -> list[str]:
    return [f"{name}.{key}" for key in value] if isinstance(value, dict) else [name]


@pytest.mark.parametrize("block", blocks("json"))
def test_the_papers_of_the_examples_are_read(block: str, tmp_path: Path) -> None:
    (tmp_path / "papers.jsonl").write_text(block, "utf-8")
    reading = FileReader().read(tmp_path / "papers.jsonl", lambda _sha256: False)
    titles = [each.paper.title for each in reading if isinstance(each, Parsed)]
    assert titles == [json.loads(line)["title"] for line in block.splitlines()]


@pytest.mark.parametrize("block", blocks("python"))
def test_what_the_python_examples_import_is_there(block: str) -> None:
    for node in ast.walk(ast.parse(block)):
        match node:
            case ast.Import(names=names):
                assert all(import_module(each.name) for each in names)
            case ast.ImportFrom(module=str(module), names=names):
                assert all(hasattr(import_module(module), each.name) for each in names)


def test_the_keys_of_the_table_are_bound() -> None:
    table = page("docs/reference/keys.md").partition("| key | does |\n|---|---|\n")[2].partition("\n\n")[0]
    said = [key for row in table.splitlines() for key in re.findall(r"`([^`]+)`", row.split(" | ")[0])]
    bound = {textual_key(each) for key in TABLE for each in key.keys} | {"esc"}
    assert len(said) > 30
    assert [key for key in said if textual_key(key) not in bound] == []


def test_every_key_is_in_the_full_table_with_its_id_and_meaning() -> None:
    said = page("docs/reference/keys.md")
    assert [row for row in map(row_of, TABLE) if row not in said.splitlines()] == []
    rows = re.findall(r"^\|.*\| `\w+\.[\w-]+` \|$", said, re.MULTILINE)
    assert len(rows) == len(TABLE)


def test_what_a_key_does_in_one_pane_only_is_in_the_documents() -> None:
    said = page("docs/reference/keys.md").splitlines()
    for (pane, binding_id), meaning in MEANINGS_BY_PANE.items():
        keys = " ".join(f"`{shown_key(each)}`" for each in BY_ID[binding_id].keys)
        assert f"| {pane} | {keys} | {meaning} |" in said


def row_of(key: KeyBinding) -> str:
    """The row of a key in the full table."""
    return f"| {' '.join(f'`{shown_key(each)}`' for each in key.keys)} | {key.meaning} | `{key.id}` |"


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(CHECKOUT)))
def test_links_and_pictures_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\((?![a-z]+:)([^)]+)\)", _BLOCK.sub("", path.read_text("utf-8"))):
        name, _, anchor = target.partition("#")
        other = (path.parent / name).resolve() if name else path
        assert other.exists(), target
        assert not anchor or anchor in anchors(other.read_text("utf-8")), target


def anchors(text: str) -> set[str]:
    """The names under which the headings of a page can be linked to."""
    headings = re.findall(r"^#+ (.*)$", _BLOCK.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_picture_is_shown_on_a_page() -> None:
    pictures = {path.name for path in (CHECKOUT / "docs" / "images").iterdir()}
    assert pictures == set(re.findall(r"images/([\w-]+\.svg)", TEXT))


def test_readme_is_short_and_leaves_errors_to_the_benchmarks() -> None:
    readme = page("README.md")
    assert readme.count("\n") <= 150
    assert "±" not in readme
    assert "pip install . && litterm " in readme and 'pip install ".[test]" && pytest ' in readme
