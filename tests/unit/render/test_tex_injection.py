r"""Nothing that a title, name or journal says is obeyed by TeX, by whatever way it gets into a bibliography."""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from litterm.model.paper import Author, Paper, PaperId, PublicationDetails
from litterm.render.bibliography import bibtex, csl, ris
from litterm.render.bibliography.bibtex import escape, escape_title, is_harmless
from litterm.render.export.markdown import Quote, citation, quotes

HOSTILE = [
    r"$\immediate\write18{id}=1$",
    r"$\input{/etc/passwd}_x$",
    r"$\openout15=owned.tex\write15{x}_1$",
    r"$\csname input\endcsname{/etc/passwd}^2$",
    r"$^^5cinput{/etc/passwd}_x$",
    r"$^^5c^^69nput /etc/passwd _x$",
    r"$\catcode`\|=0 |input{/etc/passwd}_1$",
    r"$\def\alpha{\input{x}}\alpha_1$",
    r"$\text{\input{/etc/passwd}}_1$",
    r"$x_1 % $",
    r"$\begin{filecontents}{x}_1\end{filecontents}$",
    r"$\directlua{os.execute('id')}_1$",
    r"$\href{run:id}{x}_1$",
    r"$\mathrm\input_x$",
    r"$\frac\input{a}_1$",
    r"$x^{\read15to\y}$",
    r"$x_{$\input{/etc/passwd}$}_1$",
    r"\input{/etc/passwd}",
    r"\\input{/etc/passwd}",
    r"}\input{/etc/passwd}{",
    r"$x_{$ } \write18{id} { $}_2$",
    r"% \input",
    "^^5cinput{/etc/passwd}",
]
BROKEN = [
    "$x^$", "$x_1_2$", "$x^1^2$", "$x^2'$", r"$\frac{a}_1$", r"$\left(x_1$", r"$\right)x_1$", r"$\sqrt_1$",
    "$x^\\frac12$",
    r"$\left(x_{1\right)}$", "$_^_$", "${x_1$", "$x_1}$", r"$x_1\$", r"$a&b_1$", r"$a#1_1$", r"$\limits_1$",
    "$" + "{" * 400 + "x_1" + "}" * 400 + "$",
]  # fmt: skip
FINE = [
    r"$O(n^2)$", r"$x_i$", r"$\alpha_{i,j}^{(t+1)}$", r"$\mathcal{O}(\sqrt{n}\,\log n)$", r"$\frac{a}{b+1}$",
    r"$\left(\frac{1}{2}\right)^n$", r"$\sum\limits_{i=1}^n x_i$", r"$\mathbb R^d$", r"$f'_{\text{new}}$",
    r"$L_{\mathrm{max}} \leq 5\%$", r"$\ell_1$", r"$e^{-x}$", r"$\hat{y}=1$",
]  # fmt: skip
OF_ESCAPING = frozenset("textbackslash textbraceleft textbraceright textasciitilde textasciicircum".split())
PIECES = st.one_of(
    st.sampled_from([*HOSTILE, *BROKEN, *FINE]),
    st.sampled_from([*"$$$$\\{}_^%#&~=' x1", "^^", "\\input", "\\write18", "\\left(", "\\right)", "\\frac"]),
    st.characters(codec="utf-8"),
)
TEXT = st.lists(PIECES, max_size=12).map("".join)


def acts(value: str) -> list[str]:
    """What TeX would do with `value` beyond printing it: commands not known to be harmless, and doors to more."""
    formulas = re.findall(r"(?<!\\)\$(.*?)(?<!\\)\$", value)
    commands = re.findall(r"\\([A-Za-z@]+)", re.sub(r"(?<!\\)\$.*?(?<!\\)\$", "", value))
    doors = re.findall(r"\^\^|(?<!\\)[%#]", value)
    inner = [each for each in formulas if not is_harmless(each)]
    return [*(each for each in commands if each not in OF_ESCAPING), *doors, *inner]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_command_of_a_hostile_text_is_left(text: str) -> None:
    for value in (escape(f"On {text} and more"), escape_title(f"On {text} and more")):
        assert acts(value) == []
        assert not re.search(r"\\(input|immediate|write|openout|csname|catcode|def|begin|directlua|href|read)", value)


@pytest.mark.parametrize("formula", FINE)
def test_formulas_of_papers_stay_formulas(formula: str) -> None:
    assert escape(f"On {formula} here") == f"On {formula} here"


@pytest.mark.parametrize("formula", BROKEN)
def test_what_would_end_in_an_error_of_tex_is_text(formula: str) -> None:
    assert "$" not in escape(formula).replace("\\$", "")


@settings(max_examples=160, deadline=None)
@given(TEXT)
@example("$$x_1$\\input{x}$$")
def test_whatever_a_text_holds_tex_only_prints_it(text: str) -> None:
    assert acts(escape(text)) == []
    assert acts(escape_title(text)) == []


@settings(max_examples=60, deadline=None)
@given(TEXT, TEXT, TEXT)
def test_nor_does_any_field_of_an_entry_act(first: str, second: str, third: str) -> None:
    entry = bibtex.entries([paper_of(first, second, third)])
    values = re.findall(r"^  (\w+) = \{(.*)\},$", entry, re.MULTILINE)
    # Addresses are printed by `\url`, to which `%` and `#` are characters like others; they hold no backslash.
    assert [acts(value) for name, value in values if name not in ("url", "doi", "eprint")] == [[]] * sum(
        name not in ("url", "doi", "eprint") for name, _ in values
    )
    assert all(not set("\\{}^") & set(value) for name, value in values if name in ("url", "doi", "eprint"))


@settings(max_examples=60, deadline=None)
@given(TEXT, TEXT, TEXT)
def test_a_ris_record_has_only_the_lines_that_we_wrote(first: str, second: str, third: str) -> None:
    one = paper_of(first + "\nER  - \r\nTY  - JOUR", second + "\u2028AU  - Somebody Else", third + "\x85ER  - ")
    lines = ris.entries([one]).splitlines()
    assert all(re.match(r"[A-Z][A-Z0-9]  - ", line) for line in lines if line)
    assert (sum(line.startswith("ER  - ") for line in lines), lines[0][:6]) == (1, "TY  - ")
    assert sum(line.startswith("TY  - ") for line in lines) == 1


@settings(max_examples=50, deadline=None)
@given(TEXT)
def test_markdown_holds_no_command_that_pandoc_would_pass_to_tex(text: str) -> None:
    one = Quote(paper_of(text, text, text), f"Before {text} behind", "§2, para 3", hypothesis=f"Whether {text}")
    for made in (quotes([one], {one.paper.id: "key"}), citation(one, "key")):
        assert not re.search(r"(?<!\\)(?:\\\\)*\\[A-Za-z]", made)
        assert not re.search(r"(?<!\\)(?:\\\\)*[$<`]", made)


def test_csl_is_data() -> None:
    assert r"\\input{/etc/passwd}" in csl.entries([paper_of(r"\input{/etc/passwd}", "x", "x")])


def paper_of(first: str, second: str, third: str) -> Paper:
    return Paper(
        PaperId("local:1"),
        f"About {first}",
        authors=(Author(f"Doe {second}", third), Author(first)),
        year=2020,
        type="article",
        urls=(f"https://example.org/{third}",),
        retraction=f"retracted: {second}",
        imprint=PublicationDetails(journal=f"Journal {second}", volume=third, issue=first, pages=second,
                        publisher=first, address=second, language=third, bibkey=first),
    )  # fmt: skip


@pytest.mark.extra
@pytest.mark.skipif(not shutil.which("pdflatex"), reason="needs pdflatex")
@pytest.mark.parametrize("several", [HOSTILE, BROKEN, FINE], ids=["hostile", "broken", "fine"])
def test_a_real_tex_prints_hostile_texts_and_does_nothing_else(tmp_path: Path, several: list[str]) -> None:
    """Every way through `\\write18` and files is open to it: nothing is written, run or read, and nothing fails."""
    secret = tmp_path / "secret.txt"
    secret.write_text("THESECRET")
    texts = [text.replace("/etc/passwd", str(secret)).replace("{id}", "{touch owned}") for text in several]
    items = "\n".join(f"\\item {escape(text)} \\item {escape_title(text)}" for text in texts)
    packages = "\\usepackage{amsmath,amssymb}"
    source = f"\\documentclass{{article}}{packages}\\begin{{document}}\\begin{{itemize}}\n{items}\n"
    (tmp_path / "x.tex").write_text(f"{source}\\end{{itemize}}\\end{{document}}\n")
    done = subprocess.run(
        ["pdflatex", "--shell-escape", "-interaction=nonstopmode", "-halt-on-error", "-output-format=dvi", "x.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=120,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10**8, 10**8)),
    )
    assert done.returncode == 0, done.stdout[-1500:]
    assert {path.name for path in tmp_path.iterdir()} == {"secret.txt", "x.tex", "x.aux", "x.log", "x.dvi"}
    assert b"THESECRET" not in (tmp_path / "x.dvi").read_bytes()
