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

SENTENCE_WORDS = frozenset(
    "across actually along already although among another anybody anyone anything apart aren aware beside besides "
    "beyond couldn didn doesn don either else especially etc even ever every everyone example except get got hadn "
    "hasn haven hence instance instead isn know known let like ll neither never often onto others particularly per "
    "please rather re really s seek seeking several shouldn since somebody someone something specifically still t "
    "tell though toward towards unlike up upon usually various ve want wanted wants wasn well weren whereas whether "
    "within without won wonder wondering wouldn yet".split()
)
"""Folded words that a question or a description in whole sentences is made of beside the two lists above, parts of
"don't" and "it's" among them. What fitted weights go by (evidence, citations) does not know this list."""
