"""Ids as people and services write them."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from litterm.importers.ids import parse_doi, parse_manuscript, recognize_id

HASH = "649def34f8be52c8b66281af98ae884c09aef38b"
SICI = "10.1002/(sici)1097-4571(199806)49:8<693::aid-asi4>3.0.co;2-o"


@pytest.mark.parametrize(
    ("written", "known"),
    [
        # DOI
        ("10.1234/ABC.5", "doi:10.1234/abc.5"),
        ("doi:10.1234/abc.5", "doi:10.1234/abc.5"),
        ("DOI: 10.1234/abc.5.", "doi:10.1234/abc.5"),
        ("doi 10.1234/abc.5", "doi:10.1234/abc.5"),
        ("<https://doi.org/10.1234/abc.5>", "doi:10.1234/abc.5"),
        ("http://dx.doi.org/10.1234%2Fabc.5", "doi:10.1234/abc.5"),
        ("doi.org/10.1234/abc.5", "doi:10.1234/abc.5"),
        (SICI.upper(), f"doi:{SICI}"),
        (f"https://doi.org/{SICI}.", f"doi:{SICI}"),
        (f"https://doi.org/{quote(SICI.upper())}", f"doi:{SICI}"),
        ("https://link.springer.com/article/10.1007/s10994-020-05910-7?utm=x#Sec1", "doi:10.1007/s10994-020-05910-7"),
        ("https://link.springer.com/content/pdf/10.1007/s10994-020-05910-7.pdf", "doi:10.1007/s10994-020-05910-7"),
        ("https://dl.acm.org/doi/pdf/10.1145/3292500.3330701", "doi:10.1145/3292500.3330701"),
        ("https://onlinelibrary.wiley.com/doi/full/10.1002/asi.24519", "doi:10.1002/asi.24519"),
        ("https://journals.plos.org/plosone/article?id=10.1371/journal.pone.02", "doi:10.1371/journal.pone.02"),
        ("https://www.biorxiv.org/content/10.1101/2020.01.22.914952v2.full.pdf", "doi:10.1101/2020.01.22.914952"),
        ("https://www.frontiersin.org/articles/10.3389/fpsyg.2020.00001/full", "doi:10.3389/fpsyg.2020.00001"),
        ("https://www.nature.com/articles/s41586-020-2649-2", "doi:10.1038/s41586-020-2649-2"),
        # arXiv
        ("1706.03762", "arxiv:1706.03762"),
        ("arXiv:1706.03762v7", "arxiv:1706.03762"),
        ("arXiv 1706.03762", "arxiv:1706.03762"),
        ("arXiv:cs.CL/0501001", "arxiv:cs/0501001"),
        ("physics.optics/0501001v2", "arxiv:physics/0501001"),
        ("CoRR abs/1409.9999", "arxiv:1409.9999"),
        ("abs/1409.9999", "arxiv:1409.9999"),
        ("arXiv:1706.03762v5 [cs.CL]", "arxiv:1706.03762"),
        ("10.48550/arXiv.math.GT/0309136", "arxiv:math/0309136"),
        ("https://arxiv.org/pdf/1706.03762v2.pdf", "arxiv:1706.03762"),
        ("hep-th/9901001v2", "arxiv:hep-th/9901001"),
        ("math.GT/0309136", "arxiv:math/0309136"),
        ("https://arxiv.org/abs/hep-th/9901001v2", "arxiv:hep-th/9901001"),
        ("http://export.arxiv.org/pdf/1706.03762v7.pdf#page=3", "arxiv:1706.03762"),
        ("https://arxiv.org/html/1706.03762v7", "arxiv:1706.03762"),
        ("https://ar5iv.labs.arxiv.org/html/math.GT/0309136", "arxiv:math/0309136"),
        ("arxiv.org/abs/1706.03762?context=cs", "arxiv:1706.03762"),
        ("10.48550/arXiv.1706.03762", "arxiv:1706.03762"),
        ("https://doi.org/10.48550/ARXIV.1706.03762", "arxiv:1706.03762"),
        ("https://huggingface.co/papers/1706.03762", "arxiv:1706.03762"),
        # ACL Anthology
        ("P18-1001", "acl:P18-1001"),
        ("w18-6310", "acl:W18-6310"),
        ("ACL:2020.acl-main.1", "acl:2020.acl-main.1"),
        ("https://aclanthology.org/P18-1001/", "acl:P18-1001"),
        ("https://aclanthology.org/2020.acl-main.47v2.pdf", "acl:2020.acl-main.47"),
        ("https://aclanthology.org/P18-1001.bib", "acl:P18-1001"),
        ("https://www.aclweb.org/anthology/P18-1001.pdf", "acl:P18-1001"),
        ("http://aclweb.org/anthology/P/P18/P18-1001.pdf", "acl:P18-1001"),
        ("https://aclanthology.info/papers/P18-1001/p18-1001", "acl:P18-1001"),
        ("https://aclanthology.org/volumes/P18-1/", None),
        # PubMed Central, PubMed, Europe PMC
        ("PMC 7029759", "pmc:PMC7029759"),
        ("pmc7029759.1", "pmc:PMC7029759"),
        ("PMCID: PMC7029759", "pmc:PMC7029759"),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC7029759/pdf/f1000.pdf", "pmc:PMC7029759"),
        ("https://www.ncbi.nlm.nih.gov/pmc/articles/7029759/", "pmc:PMC7029759"),
        ("PMID: 32117569", "pmid:32117569"),
        ("pmid 32117569", "pmid:32117569"),
        ("https://pubmed.ncbi.nlm.nih.gov/32117569/?from=x", "pmid:32117569"),
        ("https://www.ncbi.nlm.nih.gov/pubmed/32117569", "pmid:32117569"),
        ("https://europepmc.org/article/MED/32117569", "pmid:32117569"),
        ("https://europepmc.org/abstract/med/32117569", "pmid:32117569"),
        ("https://europepmc.org/article/PMC/PMC7029759", "pmc:PMC7029759"),
        ("https://europepmc.org/articles/PMC7029759", "pmc:PMC7029759"),
        # OpenReview
        ("https://openreview.net/forum?id=abc_-1", "iclr:abc_-1"),
        ("https://openreview.net/forum?noteId=zzz99&id=-bc_D12", "iclr:-bc_D12"),
        ("https://openreview.net/pdf?id=abcde12&x=1", "iclr:abcde12"),
        ("https://openreview.net/attachment?id=abcde12&name=pdf", "iclr:abcde12"),
        ("https://openreview.net/group?id=ICLR.cc/2025/Conference", None),
        # Semantic Scholar
        ("CorpusId:215416146", "s2:215416146"),
        ("CorpusID 215416146", "s2:215416146"),
        (f"https://www.semanticscholar.org/paper/Construction-of-the-Graph-Ammar/{HASH}", f"s2:{HASH}"),
        (f"https://www.semanticscholar.org/reader/{HASH}", f"s2:{HASH}"),
        ("https://api.semanticscholar.org/CorpusID:215416146", "s2:215416146"),
        # none of them
        ("32117569", None),
        ("https://example.org/paper", None),
        ("https://example.org/2020/10.5/x", None),
        ("https://arxiv.org/list/cs.CL/recent", None),
        ("http://[bad", None),
        ("", None),
    ],
)  # fmt: skip
def test_every_form_of_an_id(written: str, known: str | None) -> None:
    assert recognize_id(written) == known


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("(see doi:10.1234/abc.5)", "doi:10.1234/abc.5"),
        ("“10.1234/abc(5)”", "doi:10.1234/abc(5)"),
        ("[10.1234/abc]", "doi:10.1234/abc"),
        ("no doi here", None),
    ],
)
def test_a_doi_within_text_ends_where_it_ends(text: str, known: str | None) -> None:
    assert parse_doi(text) == known


@pytest.mark.parametrize(
    ("text", "known"), [("nihms-311352", "mid:NIHMS311352"), ("mid:EMS48932", "mid:EMS48932"), ("NIHMS", None)]
)
def test_numbers_of_manuscripts(text: str, known: str | None) -> None:
    assert parse_manuscript(text) == known
