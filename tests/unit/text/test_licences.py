"""Short names of licences."""

from __future__ import annotations

import pytest

from litterm.text.licences import licence_name


@pytest.mark.parametrize(
    ("stated", "name"),
    [
        ("https://creativecommons.org/licenses/by/4.0/", "CC BY 4.0"),
        ("http://creativecommons.org/licenses/by-nc-nd/3.0/legalcode", "CC BY-NC-ND 3.0"),
        ("http://creativecommons.org/publicdomain/zero/1.0/", "CC0 1.0"),
        ("http://arxiv.org/licenses/nonexclusive-distrib/1.0/", "arXiv's licence: to read, not to pass on"),
        ("arXiv.org perpetual non-exclusive license", "arXiv's licence: to read, not to pass on"),
        ("cc-by", "CC BY"),
        ("cc by-nc-sa", "CC BY-NC-SA"),
        ("CCBY", "CC BY"),
        ("cc0", "CC0"),
        ("CC BY 4.0", "CC BY 4.0"),
        ("All rights reserved", "All rights reserved"),
        ("", ""),
    ],
)
def test_licences_have_short_names(stated: str, name: str) -> None:
    assert licence_name(stated) == name
