"""Reading lists made on a server; with a model of the user's, from the candidates that the server finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from litterm.model.reading_list import ReadingList
from litterm.reading_lists.builder import ListBuilder
from litterm.reading_lists.candidates import ListCandidates
from litterm.server.client.citations import RemoteGraph
from litterm.server.client.connection import ServerConnection
from litterm.server.operations import search

if TYPE_CHECKING:
    from litterm.core.tasks import Task
    from litterm.interfaces import CitationGraph
    from litterm.model.reading_list import ListRequest, Topic


@dataclass(frozen=True, slots=True)
class RemoteCandidates:
    """Candidates found by the server; fits `reading_lists.candidates.CandidateSource`."""

    connection: ServerConnection

    def graph(self) -> CitationGraph:
        """The citation graph of the server."""
        return RemoteGraph(self.connection, with_shipped=False)

    def collect(self, topic: Topic, request: ListRequest) -> Task[ListCandidates]:
        """The candidates of a request, from which the server reads the `topic` too."""
        answer = yield from self.connection.call(search.candidates, request)
        columns = {name: np.array(values, np.float64) for name, values in answer.columns}
        return ListCandidates(topic, answer.until, answer.papers, columns, dict(answer.names))


@dataclass(frozen=True, slots=True)
class RemoteListBuilder(ListBuilder):
    """Lets the server make lists; only lists by a model are made here, from the server's candidates."""

    connection: ServerConnection

    def build(self, request: ListRequest) -> Task[ReadingList]:
        """Builds the list of a request.

        Raises:
            UsageError: the topic has no word to search for.
        """
        return (yield from self.connection.call(search.reading_list, request))
