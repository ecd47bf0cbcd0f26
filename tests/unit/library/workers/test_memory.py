"""What a child says of its own memory, and what it may have."""

from __future__ import annotations

import subprocess
import sys

MEASURE = """
import sys
from litterm.library.workers.memory import limit_memory, peak_megabytes
limit_memory(400)
before = peak_megabytes()
held = b"x" * (100 << 20)
print(before, peak_megabytes())
try:
    b"x" * (400 << 20)
except MemoryError:
    print("refused")
"""


def test_the_memory_of_whoever_started_a_child_is_not_that_of_the_child() -> None:
    large = b"x" * (300 << 20)
    told = subprocess.run([sys.executable, "-c", MEASURE], capture_output=True, text=True, check=True).stdout
    before, after = map(float, told.splitlines()[0].split())
    assert before < 100 < len(large) / 2**20
    assert 100 <= after - before + 1 < 120
    if sys.platform == "linux":
        assert told.splitlines()[1] == "refused"
