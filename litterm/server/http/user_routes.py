"""Routes by which users with the role `admin` change users."""

from __future__ import annotations

import asyncio
import json

from starlette.responses import Response
from starlette.routing import Route

from litterm.server.http.app import API_PREFIX, JSON_MEDIA_TYPE, LibraryApp, ServedRequest
from litterm.server.protocol import codec
from litterm.server.users.user_file import UserFile, UserRequest

PATH = f"{API_PREFIX}/users"


class UserRoutes:
    """Lists, adds and removes users."""

    def __init__(self, library: LibraryApp, users: UserFile) -> None:
        self._library = library
        self._users = users

    def routes(self) -> list[Route]:
        """One route per HTTP method."""
        route = self._library.route
        return [
            route(PATH, "users", self._list, method="GET"),
            route(PATH, "users", self._add, may_end_own_token=True),
            route(f"{PATH}/{{name}}", "users", self._remove, method="DELETE", may_end_own_token=True),
        ]

    async def _list(self, served: ServedRequest) -> Response:
        self._library.admit(served, "admin")
        users = [{"name": user.name, "role": user.role, "since": user.since} for user in self._users.all()]
        return _json_response({"users": users})

    async def _add(self, served: ServedRequest) -> Response:
        self._library.admit(served, "admin")
        user = codec.loads(UserRequest, await self._library.body(served))
        # Writing waits for the disk.
        token = await asyncio.to_thread(self._users.add, user.name, user.role)
        return _json_response({"name": user.name, "role": user.role, "token": token})

    async def _remove(self, served: ServedRequest) -> Response:
        self._library.admit(served, "admin")
        name = str(served.request.path_params["name"])
        await asyncio.to_thread(self._users.remove, name)
        return _json_response({"removed": name})


def _json_response(body: dict[str, object]) -> Response:
    return Response(json.dumps(body), media_type=JSON_MEDIA_TYPE)
