"""What RIS and CSL-JSON write is what the record says, whatever signs are in it."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from litterm.model.paper import Paper, PaperId, PublicationDetails
from litterm.render.bibliography import csl, ris
from litterm.text.clean import clean_line
from litterm.text.escape import plain

DOI = "10.1002/(sici)1096(1996)365:1<113::aid-cne9>3.0.co;2-6"
FIELDS = "journal volume issue article_number edition series isbn issn note language publisher".split()
LINES = st.text(max_size=25).map(lambda text: plain(clean_line(text)).strip())
PAPERS = st.builds(
    Paper,
    id=st.just(PaperId(f"doi:{DOI}")),
    title=LINES.filter(bool),
    abstract=LINES,
    year=st.just(2018),
    date=st.just("2018-07-05"),
    aliases=st.just((PaperId("pmid:90123456"), PaperId("pmc:PMC77"))),
    type=st.just("article"),
    imprint=st.builds(
        PublicationDetails,
        **dict.fromkeys(FIELDS, LINES),
        bibkey=st.sampled_from(["Müller2010", "王2013", "O'Neil2011", "Smith(2016)a"]),
    ),
)


@settings(max_examples=50, deadline=None)
@given(PAPERS)
def test_ris_has_each_value_in_a_line_of_its_own(paper: Paper) -> None:
    imprint = paper.imprint
    told = [
        *(("ID", imprint.bibkey), ("TI", paper.title), ("AB", paper.abstract), ("JO", imprint.journal)),
        *(("VL", imprint.volume), ("IS", imprint.issue), ("C7", imprint.article_number), ("ET", imprint.edition)),
        *(("T3", imprint.series), ("SN", imprint.isbn), ("SN", imprint.issn), ("N1", imprint.note)),
        *(("LA", imprint.language), ("PB", imprint.publisher), ("DO", DOI)),
        *(("AN", "90123456"), ("C2", "PMC77"), ("DA", "2018/07/05/")),
    ]
    lines = ris.entries([paper]).split("\n")
    assert {f"{tag}  - {value}" for tag, value in told if value} - set(lines) == set()


@settings(max_examples=50, deadline=None)
@given(PAPERS)
def test_csl_has_each_value(paper: Paper) -> None:
    imprint = paper.imprint
    told = {
        **{"id": imprint.bibkey, "title": paper.title, "abstract": paper.abstract, "container-title": imprint.journal},
        **{"volume": imprint.volume, "issue": imprint.issue, "number": imprint.article_number, "note": imprint.note},
        **{"edition": imprint.edition, "collection-title": imprint.series, "ISBN": imprint.isbn, "ISSN": imprint.issn},
        **{"language": imprint.language, "publisher": imprint.publisher, "PMID": "90123456", "PMCID": "PMC77"},
        **{"page": imprint.article_number, "DOI": DOI},
    }
    (item,) = json.loads(csl.entries([paper]))
    assert {name: item.get(name, "") for name in told} == told
    assert item["issued"] == {"date-parts": [[2018, 7, 5]]}
