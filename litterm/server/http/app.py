"""The web application: one route per operation; each request is checked, parsed, answered in a thread and logged."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from litterm.core.tasks import Task
from litterm.engine import Engine
from litterm.model.events import Event, Notice
from litterm.render.json import dumps_in_steps
from litterm.server.http.openapi import describe_api
from litterm.server.operations.operation import Operation, Role
from litterm.server.operations.table import OPERATIONS
from litterm.server.protocol import codec
from litterm.server.protocol.error_mapping import (
    NO_ROUTE,
    OK,
    REQUEST_TIMEOUT,
    SERVER_ERROR,
    TOO_LARGE,
    Refused,
    ServerFault,
    abridged,
    fault_of,
)
from litterm.server.users.access import AccessControl
from litterm.server.users.audit_log import AuditLine, AuditLog
from litterm.server.users.limits import ServerLimits
from litterm.server.users.user_file import User, UserFile
from litterm.server.workers import WorkerPool

T = TypeVar("T")
_log = logging.getLogger(__name__)
JSON_MEDIA_TYPE = "application/json"
API_PREFIX = "/v1"
_TOO_LARGE = "The request is larger than the {:,} bytes that the server accepts."
_NO_ROUTE = "There is no {} {}; GET {}/openapi.json describes what can be asked."
_UNKNOWN = "unknown"
"""Stands in the audit log for a path or method that there is not: a path may hold anything."""
_TOO_SLOW = "The request did not arrive within {:g} s."


@dataclass(slots=True)
class ServedRequest:
    """One request and what the audit log records of it."""

    request: Request
    operation: str
    user: User | None = None
    """Who sent it, once that is known."""
    bytes_in: int = 0

    @property
    def address(self) -> str:
        """The address of the client."""
        return self.request.client.host if self.request.client else ""


Answering = Callable[[ServedRequest], Awaitable[Response]]


class LibraryApp:
    """The routes of one library, answered by its engine."""

    def __init__(self, engine: Engine, users: UserFile, limits: ServerLimits, audit: AuditLog) -> None:
        self.engine = engine
        self.limits = limits
        self.access = AccessControl(users, limits)
        self.workers = WorkerPool("operation", limits.threads, limits.waiting)
        self._audit = audit

    def routes(self) -> list[Route]:
        """A route for every operation, and those of the interface description."""
        return [
            *(
                self.route(f"{API_PREFIX}/{operation.name}", operation.name, self._answering(operation))
                for operation in OPERATIONS
            ),
            self.route(f"{API_PREFIX}/openapi.json", "openapi", self._describe, method="GET"),
            self.route("/health", "health", _answer_health_check, method="GET"),
        ]

    def route(
        self, path: str, operation: str, answer: Answering, *, method: str = "POST", may_end_own_token: bool = False
    ) -> Route:
        """A route whose requests are logged; an error in `answer` becomes its response.

        The answer is withheld if the user's token was revoked meanwhile, unless the request itself may have done that.
        """

        async def confirmed(served: ServedRequest) -> Response:
            response = await answer(served)
            if not may_end_own_token:
                self.confirm(served)
            return response

        async def endpoint(request: Request) -> Response:
            served, begun = ServedRequest(request, operation), time.monotonic()
            response = await _with_fault_response(confirmed, served)
            self._log(served, response, time.monotonic() - begun)
            return response

        return Route(path, endpoint, methods=[method])

    async def refuse_unknown_route(self, request: Request, error: Exception) -> Response:
        """The response for an unknown path or method; in JSON, and logged, as every other error."""
        assert isinstance(error, HTTPException)
        message = abridged(_NO_ROUTE.format(request.method, request.url.path, API_PREFIX))
        fault = ServerFault(error.status_code, NO_ROUTE, message)
        response = Response(fault.content(), fault.status, dict(error.headers or {}), JSON_MEDIA_TYPE)
        self._log(ServedRequest(request, _UNKNOWN), response, 0.0)
        return response

    def admit(self, served: ServedRequest, role: Role) -> None:
        """Finds the user of the request; raises `Refused` where they may not make it."""
        served.user = self.access.authorize(served.request.headers, served.address, role)

    def confirm(self, served: ServedRequest) -> None:
        """Raises `Refused` where the user was admitted, but has lost the token since."""
        if served.user is not None:
            self.access.confirm(served.user)

    async def body(self, served: ServedRequest) -> bytes:
        """The whole body of a request in JSON; raises `Refused` where it is too large or too slow."""
        limits, chunks = self.limits, bytearray()
        try:
            # For the whole body: a byte now and then must not hold a connection for ever.
            async with asyncio.timeout(limits.body_s):
                async for chunk in served.request.stream():
                    chunks += chunk
                    served.bytes_in = len(chunks)
                    # While it comes, as the length in its head is only a claim.
                    if len(chunks) > limits.request_bytes:
                        raise Refused(TOO_LARGE, "UsageError", _TOO_LARGE.format(limits.request_bytes))
        except TimeoutError:
            raise Refused(REQUEST_TIMEOUT, "LibraryServerError", _TOO_SLOW.format(limits.body_s)) from None
        # A body may take its time to arrive.
        self.confirm(served)
        return bytes(chunks)

    async def perform(
        self, served: ServedRequest, operation: Operation, read: Callable[[], object], *, typed: bool = False
    ) -> bytes:
        """Runs the request that `read` gives, and returns the body of the response."""
        notices: list[str] = []

        def keep_notice(event: Event) -> None:
            if isinstance(event, Notice) and event.text:
                notices.append(event.text)

        return await self.run(served, _answer_request(self.engine, operation, read, notices, typed=typed), keep_notice)

    async def run(
        self, served: ServedRequest, task: Task[T], on_event: Callable[[Event], object] = lambda _event: None
    ) -> T:
        """The result of a task that is run for the user of the request.

        Raises:
            Refused: too many requests wait.
            Stopped: it took too long.
        """
        user = served.user.name if served.user else ""
        return await self.workers.run(user, task, self.limits.answer_s, on_event)

    def _log(self, served: ServedRequest, response: Response, elapsed_s: float) -> None:
        line = AuditLine(
            served.user.name if served.user else "",
            served.address,
            served.operation,
            response.status_code,
            round(elapsed_s * 1000),
            served.bytes_in,
            int(response.headers.get("content-length", "0")),
        )
        self._audit.write(line)

    def close(self) -> None:
        """Waits for requests in progress."""
        self.workers.close()

    def _answering(self, operation: Operation) -> Answering:
        async def answer(served: ServedRequest) -> Response:
            self.admit(served, operation.role)
            # A request whose fields all have defaults needs no body.
            content = await self.body(served) or b"{}"
            typed = served.request.headers.get("accept") == codec.TYPED_MEDIA_TYPE
            return Response(
                await self.perform(served, operation, lambda: codec.loads(operation.request, content), typed=typed),
                media_type=codec.TYPED_MEDIA_TYPE if typed else JSON_MEDIA_TYPE,
            )

        return answer

    async def _describe(self, served: ServedRequest) -> Response:
        self.admit(served, "read")
        return Response(json.dumps(describe_api(), indent=2), media_type=JSON_MEDIA_TYPE)


def make_app(library: LibraryApp, *extra_routes: Route) -> Starlette:
    """The application, with `extra_routes` in addition to those of the operations."""
    app = Starlette(
        routes=[*library.routes(), *extra_routes], exception_handlers={HTTPException: library.refuse_unknown_route}
    )
    # A redirect to the path without a slash at its end would be no request of the log, and no client needs it.
    app.router.redirect_slashes = False
    return app


def _answer_request(
    engine: Engine, operation: Operation, read: Callable[[], object], notices: Sequence[str], *, typed: bool
) -> Task[bytes]:
    """The body of a response; `notices` are those that the task has yielded so far."""
    # Here and not before: reading megabytes of a request is work, too.
    request = read()
    if not typed:
        body = yield from operation.perform_for_body(engine, request)
        return f"{(yield from dumps_in_steps(body))}\n".encode()
    value = codec.encode(operation.make_answer((yield from operation.perform(engine, request))))
    return json.dumps({"notices": notices, "value": value}, separators=(",", ":")).encode()


async def _with_fault_response(answer: Answering, served: ServedRequest) -> Response:
    try:
        return await answer(served)
    except ClientDisconnect:
        # The client has gone: the status is for the log.
        return Response(status_code=REQUEST_TIMEOUT)
    except Exception as error:  # noqa: BLE001 - one request must never end the server
        fault = fault_of(error)
        # Only faults of the server go to its log; a client learns of its own mistakes from the response.
        if fault.status == SERVER_ERROR:
            _log.exception("%s", served.operation)
        headers = {"retry-after": str(fault.retry_after_s)} if fault.retry_after_s else {}
        return Response(fault.content(), fault.status, headers, JSON_MEDIA_TYPE)


async def _answer_health_check(_served: ServedRequest) -> Response:
    return Response(b'{"status": "ok"}', OK, media_type=JSON_MEDIA_TYPE)
