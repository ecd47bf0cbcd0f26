"""Files of benchmarks: what cannot be read names the file and the field."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from litterm.core.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def read_as(data: str, file: Path) -> Iterator[None]:
    """What goes wrong inside is a fault of `file`, which should hold `data`.

    Raises:
        BadInput: it cannot be read, is in another form, or lacks a field.
    """
    try:
        yield
    except OSError as error:
        raise BadInput(f"{file}: cannot be read ({error.strerror or error}).") from error
    except KeyError as error:
        raise BadInput(f"{file}: not {data} as this bench knows it, the field {error} is missing.") from error
    except (ValueError, TypeError, IndexError, AttributeError, SyntaxError, EOFError, RecursionError) as error:
        raise BadInput(f"{file}: not {data} as this bench knows it ({error}).") from error
