"""A review of sleep and the paper on naps that it cites, as files to import."""

from __future__ import annotations

from pathlib import Path

from litterm.cli.main import main

_JATS = """<article xmlns:xlink="http://www.w3.org/1999/xlink"><front><article-meta>
<article-id pub-id-type="doi">10.1234/{key}</article-id>
<title-group><article-title>{title}</article-title></title-group>
<abstract><p>{abstract}</p></abstract></article-meta></front>
<body><sec><title>Results</title>{body}</sec></body><back><ref-list>{references}</ref-list></back></article>"""
_REFERENCE = (
    '<ref id="r{number}"><label>{number}</label><element-citation><person-group person-group-type="author"><name>'
    "<surname>{family}</surname></name></person-group><article-title>{title}</article-title><year>2010</year>{id}"
    "</element-citation></ref>"
)
NAPS = "Naps and the memory of nouns in adults"
_DOI = '<pub-id pub-id-type="doi">10.1234/{}</pub-id>'
_REVIEW_BODY = (
    '<p>Short naps improve the memory of nouns in adults [<xref ref-type="bibr" rid="r1">1</xref>]. '
    'Bright light delays the sleep of many people [<xref ref-type="bibr" rid="r1">1</xref>, '
    '<xref ref-type="bibr" rid="r2">2</xref>]. Nothing at all is cited in this sentence.</p>'
)
_NAPS_BODY = (
    "<p>We tested 40 healthy adults with a list of nouns. Half of them took a short nap of 30 minutes at noon.</p>"
    "<p>Memory of nouns was 12 % higher after a short nap. Reaction times did not differ between both groups.</p>"
)


def add_sleep_papers(root: Path) -> Path:
    """A home below `root` with the review and one of the two papers that it cites."""
    references = "".join(
        (
            _REFERENCE.format(number=1, family="Smith", title=NAPS, id=_DOI.format("naps")),
            _REFERENCE.format(number=2, family="Jones", title="Bright light at night", id=_DOI.format("light")),
        )
    )
    review = {"key": "review", "title": "A review of sleep", "abstract": "We review sleep.", "body": _REVIEW_BODY}
    naps = {"key": "naps", "title": NAPS, "abstract": "Memory was 12 % higher after a nap.", "body": _NAPS_BODY}
    for paper, listed in ((review, references), (naps, "")):
        (root / f"{paper['key']}.xml").write_text(_JATS.format(**paper, references=listed))
    assert main(["--home", str(root / "home"), "add", str(root / "review.xml"), str(root / "naps.xml")]) == 0
    return root / "home"
