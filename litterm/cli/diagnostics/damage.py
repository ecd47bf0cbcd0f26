"""After an unexpected error: whether a file of the library is damaged, which is then what went wrong."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence


def told_damage(argv: Sequence[str]) -> bool:
    """Says which file of the library used is damaged, if one is; the error itself goes to the log."""
    from litterm.cli.output import standard
    from litterm.cli.parser import parse
    from litterm.core.settings import load
    from litterm.library.segments.integrity import index_faults, list_faults

    typed = vars(parse(argv))
    root = load({"home": typed["home"]} if "home" in typed else {}, os.environ).library
    found = next((fault for faults in (index_faults, list_faults) for fault in faults(root)), None)
    if found is None:
        return False
    logging.getLogger("litterm").error("a damaged file ended litterm: %s", found.why, exc_info=True)
    why = found.why[0].upper() + found.why[1:]
    standard(os.environ).say(f"litterm: {why}; {found.remedy}.")
    return True
