"""Every command that a page of the guide shows is run as it stands there, on a new library and without a network."""

from __future__ import annotations

import hashlib
import io
import json
import re
import shlex
import shutil
import socket
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import done
from documents import CHECKOUT
from encoder_models import write_encoder
from pdfs import paper as pdf_paper
from zotero_databases import ZoteroDatabase, fill

from litterm.cli.main import main

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
IDEA = "We want to prune language models. They should become fast. They should lose little accuracy on small corpora."
COLLECTION = b"""<collection id='2099.x'><volume id='1'><meta><booktitle>B</booktitle><year>2099</year></meta>
<paper id='1'><title>A tale of trees</title></paper></volume></collection>"""
ROWS = [
    {"id": f"acl:{key}", "title": title, "abstract": IDEA, "year": 2018}
    for key, title in (
        ("2022.acl-long.107", "Structured pruning of language models"),
        ("P19-1580", "Heads that can be pruned"),
        ("2020.acl-main.240", "Norms of attention"),
        ("P18-1082", "Stories by plan"),
        ("P02-1040", "Bleu: a Method for Automatic Evaluation of Machine Translation"),
        ("N18-1202", "ELMo: Deep Contextualized Word Representations, as Embeddings"),
    )
]


def shown() -> list[str]:
    """Every command of the guide and of README, one a line."""
    pages = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs/guide").glob("*.md"))]
    blocks = [
        block for page in pages for language, block in _BLOCK.findall(page.read_text("utf-8")) if language in ("", "sh")
    ]
    return list(dict.fromkeys(line for block in blocks for line in block.splitlines() if line.startswith("litterm ")))


def outcome(line: str) -> tuple[int, str]:
    """The exit status of a command without network, model, merge or earlier import, and a word of what it says."""
    if line.startswith("litterm agree draw stances.json"):
        # A library of six abstracts has too few sentences.
        return 2, "ask for fewer with -n"
    if line.startswith(("litterm agree freeze", "litterm agree test")):
        return 2, "No language model is set"
    if line.startswith("litterm agree grade"):
        return 2, "asks on a terminal"
    if line.startswith("litterm sync folder"):
        return (0, "") if "~" in line else (2, "watched_folder")
    if re.search(r"litterm (sync|find|fetch|refs|add 10\.)", line):
        return 4, "offline"
    if re.search(r"--(model|negate|grade|rerank)\b", line) or ("evidence" in line and "--dry-run" in line):
        return 2, "No language model is set"
    if "--split" in line or line.startswith("litterm edit P18-1082 --undo"):
        return 2, "single source" if "--split" in line else "was not corrected"
    if "collections --rename" in line or "export --collection" in line:
        return 2, "There is no collection Thesis"
    if "--import library.bib" in line:
        return 3, "No paper came from library.bib"
    if line.startswith("litterm ask"):
        # Only the starter library holds papers on one of the questions.
        return (0, "") if "summarization" in line else (5, "The library does not say")
    if line.startswith("litterm config encoder"):
        return 0, "is written"
    if line.startswith("litterm check draft.tex"):
        return 6, "1 no support found"
    if line.startswith("litterm bench litsearch questions.jsonl"):
        # The papers of this library have no full texts.
        return 2, "questions.jsonl is not there"
    if line.startswith("litterm config"):
        return (4, "Nothing was written") if "--base-url" in line else (2, "without a terminal")
    return 0, ""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`home`, whose library holds the papers that the examples name, and `desk`, with the files that they name."""
    root = tmp_path_factory.mktemp("guide")
    folder = root / "desk"
    (folder / "papers").mkdir(parents=True)
    (folder / "papers/papers.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    (folder / "library.bib").write_text(
        "@article{a, title={Phrase tables for translation}, author={Doe, Ann}, year=2008}"
    )
    with tarfile.open(folder / "acl-anthology-xml.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo("2099.x.xml")
        member.size = len(COLLECTION)
        archive.addfile(member, io.BytesIO(COLLECTION))
    (folder / "elicit.csv").write_text("Title,Authors,Year,Abstract\nMoss and heath,Ann Lee,2020,Moss grows.\n")
    (folder / "Documents/papers/moss").mkdir(parents=True)
    (folder / "Documents/papers/moss/info.yaml").write_text("title: Moss of papis\nauthor: Lee, Ann\nyear: 2020\n")
    (folder / "idea.txt").write_text(IDEA)
    (folder / "ids.txt").write_text("P19-1580\n2022.acl-long.107\n")
    (folder / "key.txt").write_text("sk-none\n")
    (folder / "paper.tex").write_text(
        "\\begin{document}BLEU \\cite{} is the usual evaluation of translation.\n\n"
        "Language models should lose little accuracy on small corpora \\cite{P19-1580}.\\end{document}\n"
    )
    reference = "@inproceedings{{{}, title = {{Heads that can be pruned}}, year = 2018}}\n"
    (folder / "refs.bib").write_text(reference.format("heads"))
    (folder / "draft.tex").write_text("Bananas are yellow fruit \\cite{heads}.\n\\bibliography{refs}\n")
    (folder / "paper.pdf").write_bytes(pdf_paper())
    write_encoder(folder / "models/all-MiniLM-L6-v2", [["pruning", "of", "language"]])
    zotero = ZoteroDatabase(folder / "Zotero/zotero.sqlite")
    zotero.add_item(title="Moss on stones", key="ABCD2345")
    zotero.close()
    attachment = folder / "Zotero/storage/FILE2345/moss.pdf"
    attachment.parent.mkdir(parents=True)
    attachment.write_bytes(pdf_paper())
    given = [str(folder / "papers"), str(zotero.path)]
    assert main(["--offline", "--home", str(root / "home"), "add", *given]) == 0
    return root


@pytest.fixture
def desk(prepared: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder one works in, with a library of one's own."""
    shutil.copytree(prepared / "home", home, dirs_exist_ok=True)
    folder = shutil.copytree(prepared / "desk", tmp_path / "desk")
    monkeypatch.chdir(folder)
    # As a shell reads `~`.
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port of this machine where nothing listens; at that of the guide its user may run a model."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


@pytest.mark.parametrize("line", shown())
def test_a_command_of_the_guide_does_what_it_says(
    line: str, desk: Path, silent_port: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    typed, _, read = re.sub(r"\s+#.*| >> \S+", "", line).partition(" < ")
    words = shlex.split(
        typed.replace("~/", f"{desk}/").replace("$(cat idea.txt)", IDEA).replace('"..."', '"speed || quality || size"')
    )[1:]
    for name in re.findall(r"(\w+\.csv)", line.partition("--merge")[2]):
        assert main(["--offline", "evidence", "--papers", "ids.txt", "Pruning costs little", "-o", name]) == 0
    if line.startswith("litterm agree") and " draw " not in line:
        draw = ["agree", "draw", "set.json", "pruning || attention", "--dev", "1", "-n", "2"]
        assert main(["--offline", *draw]) == 0
        assert main(["--offline", "agree", "sheet", "set.json", "-o", "bo.csv", "--blind"]) == 0
    if line.startswith("litterm restore"):
        assert main(["backup", words[1]]) == 0
    if line.startswith("litterm encode"):
        assert main(["config", "encoder", str(desk / "models/all-MiniLM-L6-v2")]) == 0
    if "--resume last" in line:
        assert main(["--offline", "list", "pruning"]) == 0
    if line.startswith("litterm extract --resume"):
        assert main(["--offline", "extract", "--columns", "sample size", "--papers", "P19-1580"]) == 0
    if line.startswith("litterm rerun"):
        assert main(["--offline", "search", "negation", "--record", words[1]]) == 0
    words = [f"http://127.0.0.1:{silent_port}" if word.startswith("http://localhost:") else word for word in words]
    capsys.readouterr()
    monkeypatch.setattr("sys.stdin", io.StringIO((desk / read).read_text() if read else ""))
    result = done(main(["--offline", *words]), capsys)
    status, word = outcome(line)
    assert result.status == status
    assert word in result.err


def test_the_page_on_zotero_in_the_order_of_its_commands_leaves_zotero_alone(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    user = tmp_path / "user"
    monkeypatch.setenv("HOME", str(user))
    database = ZoteroDatabase(user / "Zotero/zotero.sqlite")
    fill(database, 8)
    item = database.add_item(title="Moss on stones", key="ABCD2345")
    database.add_collection("Thesis", [item])
    # As while Zotero runs.
    database.lock()

    def contents() -> dict[Path, tuple[str, int]]:
        files = [path for path in (user / "Zotero").rglob("*") if path.is_file()]
        return {path: (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns) for path in files}

    page = (CHECKOUT / "docs/guide/zotero.md").read_text("utf-8")
    shell = [block for language, block in _BLOCK.findall(page) if language == "sh"]
    lines = [line for line in "".join(shell).splitlines() if line.startswith("litterm ")]
    last = "litterm remove --import ~/Zotero/zotero.sqlite"
    assert len(lines) >= 4 and f"`{last}`" in page
    before = contents()
    said = {}
    for line in (*lines, "litterm add zotero", last):
        words = shlex.split(re.sub(r"\s+#.*", "", line).replace("~/", f"{user}/"))[1:]
        result = done(main(["--offline", "--home", str(home), *words]), capsys)
        assert result.status == 0, (line, result)
        said[line] = result.out + result.err
    assert contents() == before
    assert f"Zotero's database is {database.path}" in said["litterm add zotero"]
    assert all("Moss" in output for line, output in said.items() if re.match("litterm (search|show)", line))
    assert "9 papers of that import alone removed" in said[last]
