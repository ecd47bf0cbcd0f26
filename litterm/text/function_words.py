"""English words that carry no topic, for long queries: excerpts, hypotheses and questions."""

from __future__ import annotations

from litterm.text.tokens import STOP_WORDS

FUNCTION_WORDS = STOP_WORDS | frozenset(
    "about above after again against all also am any based because been before being below between both can could "
    "did do does done during each from further had has have having he her here his how however i its itself just "
    "many may might more most much must once only other our over own same shall she should so some than those "
    "through thus under until us use used uses using very via we were what when where which while who whom why "
    "would you your".split()
)
"""Folded words; dropped from evidence vectors and citation queries, never from the index."""

QUESTION_WORDS = frozenset(
    "about any approach approaches are article articles can could did discuss discusses do does existing explore "
    "explores find finding give how interested introduce introduces investigate investigates is list literature look "
    "looking me method methods paper papers present presents propose proposed proposes provide recent recommend "
    "related relevant research should show some studies study survey there was were what when where which who whom "
    "whose why will work works would".split()
)
"""Folded words that talk about papers rather than about their topic; dropped from citation queries."""
