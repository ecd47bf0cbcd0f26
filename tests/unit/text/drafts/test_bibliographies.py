"""A copy of a draft names the file of its new entries."""

from __future__ import annotations

import pytest

from litterm.model.attribution.draft import DraftForm
from litterm.text.drafts.bibliographies import with_bibliography

NEW = "paper.cited.bib"


@pytest.mark.parametrize(
    ("form", "before", "after"),
    [
        ("tex", "\\bibliography{refs}\n", "\\bibliography{refs,paper.cited}\n"),
        ("tex", "% \\bibliography{old}\n\\bibliography{a,b}", "% \\bibliography{old}\n\\bibliography{a,b,paper.cited}"),
        ("tex", "\\bibliography{a}\n% \\bibliography{old}\n", "\\bibliography{a,paper.cited}\n% \\bibliography{old}\n"),
        (
            "tex",
            "\\addbibresource[x=y]{refs.bib}\r\n\\begin{document}",
            "\\addbibresource[x=y]{refs.bib}\r\n\\addbibresource{paper.cited.bib}\r\n\\begin{document}",
        ),
        (
            "tex",
            "\\begin{document}\nText.\n\\end{document}\n",
            "\\begin{document}\nText.\n\\bibliographystyle{plain}\n\\bibliography{paper.cited}\n\\end{document}\n",
        ),
        (
            "tex",
            "\\usepackage[a=b]{biblatex}\n\\begin{document}\nText.\n\\end{document}\n",
            "\\usepackage[a=b]{biblatex}\n\\addbibresource{paper.cited.bib}\n\\begin{document}\nText.\n"
            "\\printbibliography\n\\end{document}\n",
        ),
        ("markdown", "---\nbibliography: refs.bib\n---\nx", "---\nbibliography: [refs.bib, paper.cited.bib]\n---\nx"),
        ("markdown", "---\nbibliography: [a.bib]\n---\nx", "---\nbibliography: [a.bib, paper.cited.bib]\n---\nx"),
        (
            "markdown",
            "---\nbibliography:\n  - a.bib\ntitle: T\n---\nx",
            "---\nbibliography:\n  - a.bib\n  - paper.cited.bib\ntitle: T\n---\nx",
        ),
    ],
)
def test_the_new_bibliography_stands_beside_the_others(form: DraftForm, before: str, after: str) -> None:
    assert with_bibliography(before, form, NEW) == after
    assert with_bibliography(after, form, NEW) == after


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("tex", "A section that another file inputs."),
        ("tex", "\\begin{document}\\begin{thebibliography}{9}\\end{thebibliography}\\end{document}"),
        ("markdown", "No front matter. bibliography: x"),
        ("text", "Plain."),
    ],
)
def test_a_text_without_a_place_for_it_says_so(form: DraftForm, text: str) -> None:
    assert with_bibliography(text, form, NEW) is None
