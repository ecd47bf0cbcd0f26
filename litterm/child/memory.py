"""How much memory a child may take: the system refuses it more, and what asked for it fails."""

from __future__ import annotations

import resource
import sys


def limit_memory(megabytes: int) -> None:
    """Bounds the address space of this process from now on; without effect where the system allows no bound."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = megabytes << 20
    allowed = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))
    except (ValueError, OSError):
        # macOS knows the limit but refuses to lower it; limits of time and of size still hold there.
        return


def peak_megabytes() -> float:
    """The largest size of this process so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 1024
