"""An operation of the server: its request and its answer follow from the parameters and the result of its method."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field, make_dataclass
from functools import cached_property
from typing import Any, Literal, TypeVar, get_args, get_origin

from litterm.core.errors import UsageError
from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.model.events import Progress
from litterm.server.operations.parameters import MEANING, WHOLE_REQUEST, Parameter, parameters_of
from litterm.server.operations.tools import LibraryTool
from litterm.server.protocol.codec import NotDecodable, encode, types_of
from litterm.server.protocol.disk_paths import hide_paths

S = TypeVar("S")
R = TypeVar("R")
Role = Literal["read", "import", "admin"]
Body = Mapping[str, object]
_BATCH_SIZE = 200
"""Papers looked up at once, about 100 ms of work."""


@dataclass(frozen=True, slots=True)
class Limit:
    """The largest number that a request may ask for, or of the things that it may name."""

    most: int
    what: str
    """Begins the sentence that refuses more."""
    fields: tuple[str, ...]
    """The fields that count, all of them together."""

    def check(self, request: object) -> None:
        """Refuses a request that asks for more.

        Raises:
            UsageError: it does, or for a negative number.
        """
        values = [getattr(request, name) for name in self.fields]
        number = sum(value if isinstance(value, int) else len(value) for value in values)
        if not 0 <= number <= self.most:
            raise UsageError(f"{self.what} is {number:,}, but the server takes at most {self.most:,} at once.")


@dataclass(frozen=True, eq=False)
class Operation:
    """One operation of the server, at the address `/v1/NAME`.

    `method` is a method of the engine, or a function that takes the engine first. Its other parameters are the fields
    of the request, its result is the answer, and the first line of its docstring describes both. A single parameter
    called `request` is the whole request.
    """

    name: str
    method: Callable[..., Any]
    body: Callable[[Engine, Any, Any], Task[Body] | Body] | None = None
    """Makes the documented JSON of engine, request and result; without it, an answer is its data class as JSON."""
    body_method: Callable[..., Any] | None = None
    """Called instead of `method`, with the same arguments, if `body` needs more than the result."""
    limits: tuple[Limit, ...] = ()
    """How much one request may ask for; its bytes, its time and its turn are limited alike for all (`ServerLimits`)."""
    role: Role = "read"
    """The role that a user needs."""
    result_field: str = ""
    """The field of the answer that holds the result, where the result is no data class."""
    one_each: Mapping[str, str] = field(default_factory=dict)
    """Fields of the answer that have an item for each item in a field of the request, each with that field."""
    tool: LibraryTool | None = None
    """How agents are offered it; they are offered no other operations."""

    @cached_property
    def meaning(self) -> str:
        """What it does, in one line."""
        return (inspect.getdoc(self.method) or "").partition("\n")[0]

    @cached_property
    def request(self) -> type[Any]:
        """The data class of the request."""
        if (whole := types_of(self.method).get(WHOLE_REQUEST)) is not None:
            assert isinstance(whole, type)
            return whole
        fields = [
            (name, kind, self._with_limit(name, described))
            for parameter in self._parameters
            for name, kind, described in parameter.fields
        ]
        made = make_dataclass(f"{self._title}Request", fields, frozen=True, kw_only=True)
        made.__doc__ = self.meaning
        return made

    @cached_property
    def answer(self) -> type[Any]:
        """The data class of the answer."""
        result = types_of(self.method)["return"]
        if self.is_task:
            # A task is a generator: what it yields, what it is sent, and what it returns.
            _event, _sent, result = get_args(result)
        if self.result_field:
            made = make_dataclass(f"{self._title}Answer", [(self.result_field, result)], frozen=True)
            made.__doc__ = self.meaning
            return made
        assert isinstance(result, type), f"the result of {self.name} is no data class and needs a `result_field`"
        return result

    @cached_property
    def is_task(self) -> bool:
        """Whether the method is a task, rather than one that returns at once."""
        return get_origin(types_of(self.method)["return"]) is Generator

    def perform(self, engine: Engine, request: Any) -> Task[Any]:
        """The result of a request; papers in it do not name folders of the server.

        Raises:
            UsageError: the request asks for more than the server takes.
        """
        return (yield from self._perform(self.method, engine, request))

    def perform_for_body(self, engine: Engine, request: Any) -> Task[Body]:
        """The documented JSON of the result of a request.

        Raises:
            UsageError: as `perform`.
        """
        result = yield from self._perform(self.body_method or self.method, engine, request)
        if self.body is not None:
            body: Body = yield from finish(self.body(engine, request, result))
            return body
        encoded = encode(self.make_answer(result))
        assert isinstance(encoded, dict)
        return encoded

    def make_request(self, *arguments: object, **named: object) -> object:
        """The request that stands for a call of the method; `arguments` are without the engine."""
        bound = self.name_arguments(*arguments, **named)
        if WHOLE_REQUEST in bound:
            return bound[WHOLE_REQUEST]
        fields: dict[str, object] = {}
        for parameter in self._parameters:
            if parameter.name in bound:
                fields.update(parameter.write(bound[parameter.name]))
        return self.request(**fields)

    def name_arguments(self, *arguments: object, **named: object) -> dict[str, Any]:
        """The arguments of a call of the method, by the names of its parameters; without the engine."""
        (_engine, *bound) = inspect.signature(self.method).bind(None, *arguments, **named).arguments.items()
        return dict(bound)

    def make_answer(self, result: object) -> object:
        """The answer that holds a result."""
        return self.answer(result) if self.result_field else result

    def result_of(self, answer: object) -> Any:
        """The result that an answer holds."""
        return getattr(answer, self.result_field) if self.result_field else answer

    def refuse_other_lengths(self, request: object, answer: object) -> None:
        """Refuses an answer that has not one item for each that was asked for.

        Raises:
            NotDecodable: it has more or fewer.
        """
        for answered, asked in self.one_each.items():
            if len(getattr(answer, answered)) != len(getattr(request, asked)):
                raise NotDecodable(f"{answered}: not one for each of the {asked}")

    def _perform(self, method: Callable[..., Any], engine: Engine, request: Any) -> Task[Any]:
        for limit in self.limits:
            limit.check(request)
        arguments = {parameter.name: parameter.read(engine, request) for parameter in self._parameters}
        return hide_paths((yield from finish(method(engine, **arguments))))

    @cached_property
    def _parameters(self) -> tuple[Parameter, ...]:
        return parameters_of(self.method)

    @property
    def _title(self) -> str:
        return self.name.title().replace("-", "")

    def _with_limit(self, name: str, described: Any) -> Any:
        limit = next((limit for limit in self.limits if limit.fields == (name,)), None)
        if limit is None:
            return described
        return field(
            default=described.default,
            metadata={MEANING: f"{described.metadata[MEANING]} At most {limit.most:,}.".strip()},
        )


def in_batches(items: Sequence[S], work: Callable[[Sequence[S]], Sequence[R]]) -> Task[tuple[R, ...]]:
    """The results of `work` for `items`, some hundred at a time: between them a request can be stopped or give way."""
    results: list[R] = []
    for start in range(0, len(items), _BATCH_SIZE):
        if start:
            yield Progress("answering", start, len(items))
        results += work(items[start : start + _BATCH_SIZE])
    return tuple(results)


def finish(work: Any) -> Task[Any]:
    """The result of a task, or a value that is there already."""
    return (yield from work) if inspect.isgenerator(work) else work
