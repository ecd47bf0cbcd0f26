"""Drafts are read into marks that stand where they say, and patched nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litterm.model.attribution.draft import Draft, DraftForm
from litterm.text.drafts.parser import draft_form, insert_keys, read_draft

TEX = r"""\documentclass{article}
\newcommand{\x}{[CITATION]}
% \cite{} and [?] in a comment
\addbibresource{refs.bib} %\bibliography{old}
\begin{document}
\section{One [CITATION]}
Models \citep{smith2010, ?} are \emph{good} at \textbf{it}~\cite[see][p.~3]{?}. Some 5\% of $x[?]$ use ELMo
embeddings% not [?]
 \Autocite*{} as in~[CITATION]. Also [?].

\begin{verbatim}
\cite{?}
\end{verbatim}
\verb|\cite{}| and \nocite{*} \[ [?] \] follow \citet{jones} in \cite{?}.
\bibliography{a,b}
\end{document}
[?]
"""
MARKDOWN = """---
title: x
bibliography: [refs.bib, "b.bib"]
---
# Head

*Pruning* of [models](http://x) works [@smith2010, p. 3; @?] and `code [@?]` and [CITATION]. As @? shows, a@b.c [?](x).
<!-- [CITATION] -->
- item **bold** [@]

```
[@?]
```
Costs $5 and $6 [?].
"""


def marks(draft: Draft) -> list[str]:
    return [draft.text[mark.position.span.start : mark.position.span.end] for mark in draft.marks]


def test_latex_marks_are_open_commands_and_brackets_outside_comments_code_formulas_and_preamble() -> None:
    draft = read_draft(TEX, "tex")
    whole = ["[CITATION]", r"\citep{smith2010, ?}", r"\cite[see][p.~3]{?}", r"\Autocite*{}", "[CITATION]", "[?]"]
    assert marks(draft) == [*whole, r"\cite{?}"]
    assert [citation.keys for citation in draft.citations] == [("smith2010",), ("jones",)]
    assert draft.bibliographies == ("refs.bib", "a", "b")


def test_an_excerpt_holds_words_and_one_mark_to_resolve() -> None:
    draft = read_draft(TEX, "tex")
    assert draft.marks[2].excerpt == (
        "Models [1] are good at it [CITATION]. Some 5% of x[?] use ELMo embeddings [2] as in [3]. Also [4]."
    )
    assert all(mark.excerpt.count("[CITATION]") == 1 for mark in draft.marks)
    assert not any("\\" in mark.excerpt or "{" in mark.excerpt for mark in draft.marks)


def test_keys_go_where_they_belong_and_the_rest_stays() -> None:
    draft = read_draft(TEX, "tex")
    done = insert_keys(TEX, [(mark, f"k{mark.index}") for mark in draft.marks])
    for part in (r"\citep{smith2010, k1}", r"\cite[see][p.~3]{k2}", r"\Autocite*{k3}", r"~\cite{k4}", r"\cite{k5}."):
        assert part in done
    assert r"\newcommand{\x}{[CITATION]}" in done
    assert done.endswith("\\end{document}\n[?]\n")
    again = read_draft(done, "tex")
    assert again.marks == ()
    assert [key for each in again.citations for key in each.keys].count("k2") == 1


def test_a_mask_becomes_the_command_the_draft_uses() -> None:
    draft = read_draft(r"One \citep{a} two \citep{b} three \citet{c} four [?].", "tex")
    assert insert_keys(draft.text, [(draft.marks[0], "k")]).endswith(r"four \citep{k}.")


def test_markdown_marks_are_pandoc_keys_and_brackets_outside_code_and_links() -> None:
    draft = read_draft(MARKDOWN, "markdown")
    assert marks(draft) == ["[@smith2010, p. 3; @?]", "[CITATION]", "@?", "[@]", "[?]"]
    assert draft.citations[0].keys == ("smith2010",)
    assert draft.bibliographies == ("refs.bib", "b.bib")
    assert draft.marks[0].excerpt.startswith("Pruning of models works [CITATION] and and [1].")
    done = insert_keys(MARKDOWN, [(mark, f"k{mark.index}") for mark in draft.marks])
    for part in ("[@smith2010, p. 3; @k0]", "and [@k1]. As @k2 shows", "[?](x)", "**bold** [@k3]", "$6 [@k4]."):
        assert part in done
    assert "`code [@?]`" in done
    assert "```\n[@?]\n```" in done


def test_a_bibliography_in_a_list_of_the_front_matter_is_named() -> None:
    text = "---\nbibliography:\n  - a.bib\n  - 'b.bib'\n---\nx"
    assert read_draft(text, "markdown").bibliographies == ("a.bib", "b.bib")


def test_lines_count_from_one_and_columns_in_characters_and_in_bytes() -> None:
    draft = read_draft("Größe über\r\nZwölf\t[CITATION].\n", "text")
    place = draft.marks[0].position
    assert (place.line, place.column, place.byte_column) == (2, 7, 8)
    assert insert_keys(draft.text, [(draft.marks[0], "k")]) == "Größe über\r\nZwölf\t[k].\n"


def test_an_excerpt_without_a_mark_is_resolved_at_its_end() -> None:
    draft = read_draft("ESIM is used with ELMo embeddings.\n", "text")
    assert draft.marks[0].excerpt == "ESIM is used with ELMo embeddings [CITATION]."
    assert insert_keys(draft.text, [(draft.marks[0], "k")]) == "ESIM is used with ELMo embeddings [k].\n"
    assert insert_keys("See", [(read_draft("See", "tex").marks[0], "k")]) == r"See~\cite{k}"


def test_a_draft_without_open_marks_has_none() -> None:
    assert read_draft(r"As shown \cite{a}.", "tex").marks == ()
    assert read_draft("word " * 2000, "text").marks == ()


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (r"\begin{verbatim} \cite{?}", "tex"),
        (r"\item[?] x \cite{a} \foo[?]{y}", "tex"),
        (r"\cite{a,} \cite{a,,b}", "tex"),
        ("mail me@example.org, [a](b) and [x][y] @alice", "markdown"),
    ],
)
def test_what_is_no_open_mark_is_none(text: str, form: DraftForm) -> None:
    found = marks(read_draft(text, form))
    assert found == ([r"\cite{?}"] if "verbatim" in text else [])


@pytest.mark.parametrize(
    ("name", "form"), [("a.tex", "tex"), ("B.MD", "markdown"), ("c.txt", "text"), ("d", "text"), ("e.Rmd", "markdown")]
)
def test_the_ending_tells_the_form(name: str, form: DraftForm) -> None:
    assert draft_form(name) == form


PIECES = st.sampled_from(
    [
        *(r"\cite{", r"\citep[see][p. 3]{", "?", "}", "{", "[CITATION]", "[?]", "[@?]", "[@a; @?]", "@?", "[@", "]"),
        *("%", "\n", "\r\n", "\n\n", "$", "$$", r"\[", r"\]", r"\begin{verbatim}", r"\end{verbatim}", r"\verb|", "`"),
        *("```", "<!--", "-->", "---\n", r"\begin{document}", r"\end{document}", r"\section{", "# ", "- ", "\\", "~"),
        *("word ", "Größe. ", "key", ",", "\ue010", "\ue011", "\u2028", "\x00", "[1]", "(", ")", "\ud800"),
    ]
)


@settings(max_examples=120, deadline=None)
@given(pieces=st.lists(PIECES, max_size=40), form=st.sampled_from(["tex", "markdown", "text"]))
def test_whatever_the_text_is_spans_point_at_marks_and_patching_touches_nothing_else(
    pieces: list[str], form: DraftForm
) -> None:
    text = "".join(pieces)
    draft = read_draft(text, form)
    at = 0
    for mark in draft.marks:
        span, slot = mark.position.span, mark.slot
        assert span.start <= slot.start <= slot.end <= span.end <= len(text)
        assert at <= slot.start
        said = text[span.start : span.end]
        assert said == "" or any(sign in said for sign in ("?", "CITATION", "{", "@]"))
        assert mark.excerpt.count("[CITATION]") == 1
        line = text.split("\n")[mark.position.line - 1]
        assert line[mark.position.column - 1 :].startswith(said.split("\n")[0])
        at = slot.end
    kept, at = [], 0
    for mark in draft.marks:
        kept.append(text[at : mark.slot.start])
        at = mark.slot.end
    expected = [*kept, text[at:]]
    done = insert_keys(text, [(mark, "\u1e00KEY\u1e00") for mark in draft.marks])
    pieces_of = done.split("\u1e00KEY\u1e00")
    for number, (got, want) in enumerate(zip(pieces_of, expected, strict=True)):
        after = draft.marks[number - 1].after if number else ""
        before = draft.marks[number].before if number < len(draft.marks) else ""
        assert got == after + want + before
    assert insert_keys(text, []) == text


@pytest.mark.parametrize("unit", [r"\cite{", "[", r"\begin{verbatim}", "$x", "`", "<!--", "@a", r"\cite[", "\\", "% "])
def test_hostile_repetition_takes_linear_time(unit: str) -> None:
    for form in ("tex", "markdown", "text"):
        assert read_draft(unit * 20_000, form).form == form  # type: ignore[arg-type]


@pytest.mark.parametrize("own", ["O'Neil2011", "Smith(2016)a", "a&b", "Müller:2010"])
@pytest.mark.parametrize("text", ["Boats float [CITATION].", "Boats float [@?].", "Boats float [@one; @?]."])
def test_a_key_of_any_signs_is_read_again_as_it_was_filled_in(text: str, own: str) -> None:
    draft = read_draft(text, "markdown")
    done = read_draft(insert_keys(text, [(mark, own) for mark in draft.marks]), "markdown")
    assert not done.marks
    assert [keys[-1] for citation in done.citations if (keys := citation.keys)] == [own]
