"""Limits a child's memory, and measures the memory and processor time of processes."""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path

TOO_LARGE_MESSAGE = "Reading it takes more memory than the {:,} MB that one file may have."


def limit_memory(megabytes: int) -> None:
    """Bounds the address space of this process from now on; without effect where the system allows no bound."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    # The address space and not the resident size, which Linux does not bound: maps and threads count too.
    limit = megabytes << 20
    allowed = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))
    except (ValueError, OSError):
        # macOS knows the limit but refuses to lower it; limits of time and of size still hold there.
        return


def peak_megabytes() -> float:
    """The largest size of this process so far."""
    try:
        # What `getrusage` says begins, on Linux, with the size of the process that started this one.
        fields = Path("/proc/self/status").read_bytes().partition(b"VmHWM:")[2].split(maxsplit=1)
        return int(fields[0]) / 1024
    except (OSError, ValueError, IndexError):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / 2**20 if sys.platform == "darwin" else peak / 1024


def process_usage(pid: int) -> tuple[float, float]:
    """Megabytes of address space and seconds of processor time of another process; zeros if unknown."""
    try:
        # What is before the last bracket is the command, which may hold anything.
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return 0.0, 0.0
    ticks = int(fields[11]) + int(fields[12])
    return int(fields[20]) / 2**20, ticks / os.sysconf("SC_CLK_TCK")
