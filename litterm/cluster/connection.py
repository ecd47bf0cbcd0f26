"""Connects to a Ray cluster; imported only when an address is given. Failures are reported in one sentence."""

from __future__ import annotations

import logging
import os
import socket
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlsplit

from litterm.core.errors import ClusterError, LittermError, UsageError
from litterm.core.installation import install_command, package_command

_CLIENT_SCHEME = "ray://"

_NO_CLUSTER_MESSAGE = "No Ray cluster answers at {address} ({reason}); `ray start --head` starts one."
_CONNECT_TIMEOUT_S = 5.0
"""For a connection to the head node."""


class RayCluster:
    """One connection of this process to a cluster; opened by its first use."""

    def __init__(self, address: str) -> None:
        """`address` is `auto`, `HOST:PORT` of a head node that this machine is a node of, or `ray://HOST:10001`."""
        self.address = address

    def ray(self) -> Any:
        """The module `ray`, connected.

        Raises:
            ClusterError: it is not installed, or no cluster answers.
        """
        # No usage data is sent to Ray's makers, and its own lines would mix with the output.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
        try:
            import ray
        except ImportError as error:
            raise ClusterError(
                f"A cluster is used through Ray, which is not installed: {install_command('cluster')}"
            ) from error
        if self.address.startswith(_CLIENT_SCHEME) and find_spec("grpc") is None:
            raise ClusterError(
                f"{self.address} is reached through Ray's client, which is not installed: "
                f"{package_command('ray[client]')}"
            )
        if not ray.is_initialized():
            address = self._check_listening()
            try:
                ray.init(
                    address=address,
                    log_to_driver=False,
                    logging_level=logging.CRITICAL,
                    configure_logging=False,
                    namespace="litterm",
                )
            except Exception as error:
                reason = str(error).strip().partition("\n")[0]
                raise ClusterError(_NO_CLUSTER_MESSAGE.format(address=self.address, reason=reason)) from error
            _silence_ray_output()
        return ray

    def _check_listening(self) -> str:
        """The address, after checking that something listens there: Ray itself would wait a minute before giving up.

        Raises:
            ClusterError: nothing does.
        """
        address = _known_address() if self.address == "auto" else self.address
        host, port = host_and_port(address)
        if port is not None:
            try:
                socket.create_connection((host, port), _CONNECT_TIMEOUT_S).close()
            except OSError as error:
                raise ClusterError(
                    _NO_CLUSTER_MESSAGE.format(address=address, reason=error.strerror or error)
                ) from error
        return address

    def count_cpus(self) -> int:
        """How many cores the cluster has."""
        return max(1, int(self.ray().cluster_resources().get("CPU", 1)))

    def close(self) -> None:
        """Disconnects; the actors of this process end."""
        self.ray().shutdown()


def _known_address() -> str:
    """The address that `auto` means: the cluster this machine last joined, whose head may be gone by now.

    Raises:
        ClusterError: this machine is in no cluster.
    """
    from ray._private import services

    try:
        address: str = services.get_ray_address_from_environment("auto", None)
    except ConnectionError as error:
        raise ClusterError(
            _NO_CLUSTER_MESSAGE.format(address="auto", reason="this machine is not part of a cluster")
        ) from error
    return address


def host_and_port(address: str) -> tuple[str, int | None]:
    """The parts of the address of a cluster; `auto` is a host without port.

    Raises:
        UsageError: it is no address.
    """
    try:
        parts = urlsplit(address if "://" in address else f"//{address}")
        return parts.hostname or "", parts.port
    except ValueError as error:
        raise UsageError(
            f"{address} is not the address of a cluster; write auto, HOST:6379 or ray://HOST:10001."
        ) from error


def _silence_ray_output() -> None:
    """Discards what Ray prints: it writes node failures to stdout whatever the settings, and stdout is for data."""
    from ray._private import worker

    worker.print_to_stdstream = _discard_output


def _discard_output(*_data: object, **_options: object) -> None:
    return None


def error_from_node(error: Exception) -> LittermError:
    """The error of litterm for a failure on a node; errors raised by litterm itself are passed on unchanged."""
    cause = getattr(error, "cause", error)
    if isinstance(cause, LittermError):
        return cause
    reason = f"{type(cause).__name__}: {cause}".strip().partition("\n")[0]
    return ClusterError(f"A node of the cluster failed ({reason}); its log, in /tmp/ray there, says where.")
