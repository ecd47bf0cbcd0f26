"""The weights of the signals of the default ranking, with what each was measured to do.

`litterm bench search-weights` tries others. What a single word weighs is in `query/query_terms.py`, what a record by
itself (a name, a date) adds in `signals/priors.py`, `signals/named_papers.py`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SearchWeights:
    """One set for every kind of query and every field.

    On a plateau: with any one weight 30 % up or down no figure of the dev sets moves by more than .6 of its standard
    error, but for ICLR's 35 questions (three of them lost with 30 % less coverage); weights fitted on random halves
    gain -1.5 to +1.6 points on the other halves, most of it by words that count less than 1.
    """

    words: float = 0.9
    title: float = 0.15
    title_of_statement: float = 0.25
    """Of the title where keywords are more than a name has: a statement is mostly in the words of a title. With .4 NPL
    and Cranfield lose what MED gains; for names it would cost known items 3 points of MRR."""
    meaning: float = 1.4
    """Where every word of a question is known, times a power of the share of its idf mass that is: a vector of half of
    a question is near to papers on something else, and where it counted in full it lost up to 23 points of MAP to plain
    words in biomedicine."""
    known_power: float = 2.0
    """The power to which that share is raised."""
    like: float = 2.0
    """Of meaning where papers like a given one are sought: the vector of a whole abstract is surer than its words."""
    first: float = 0.5
    """Of nearness to the first papers themselves (feedback, Rocchio 1971), which know what words go together here."""
    beside: float = 1.0
    """Of the meaning of what is typed beside papers of `like:`."""
    encoder: float = 1.5
    """Of nearness by the user's encoder, where one is set. With MiniLM four of five choices by MRR, each with one set
    left out, are 1.5, and one is 2; from 3 on the first right paper of ICLR's questions comes later (MRR -8.2±4.6)."""
    coverage: float = 1.0
    full_text: float = 0.5
    followers: float = 1.2
    """Of the growth, up to e^3, of the words of a title in later titles. Over the Anthology with ICLR questions made of
    citing sentences gain 4 points of R@5 with 1.2 and 5 with 2; that costs questions by authors 8 points of R@20."""
    citing_words: float = 4.0
    """Points of the paper that fits a query best by what others say where they cite it. With 8 known items lose what
    they gain with 4, and with 16 questions by authors lose 3.7±1.6 points of MAP."""
    rare: float = 8.0
    """Points of a paper that holds every rare unknown word of the query in title or abstract: as much as a sure hit by
    everything else. With 40 MED's questions lose 3 points of MRR and SciFact's .8 of MAP; 4 is as good."""
    rare_full_text: float = 40.0
    """Points of a paper whose full text alone holds it, where no title or abstract of the library does: all else speaks
    for others then, since everything else is about titles and abstracts."""


DEFAULT = SearchWeights()
