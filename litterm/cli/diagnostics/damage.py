"""The search for a damaged file after an unexpected error, which it then explains."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence


def report_damage(argv: Sequence[str]) -> bool:
    """Says which file of the library is damaged, if one is; the error itself goes to the log."""
    from litterm.cli.parser import parse
    from litterm.cli.terminal.output import standard_output
    from litterm.core.settings import load
    from litterm.library.segments.repair.integrity import index_faults, list_faults

    # The settings anew: the error may have come before the command had any.
    typed = vars(parse(argv))
    root = load({"home": typed["home"]} if "home" in typed else {}, os.environ).library
    damage = next((fault for faults in (index_faults, list_faults) for fault in faults(root)), None)
    if damage is None:
        return False
    logging.getLogger("litterm").error("a damaged file ended litterm: %s", damage.why, exc_info=True)
    reason = damage.why[0].upper() + damage.why[1:]
    standard_output(os.environ).say(f"litterm: {reason}; {damage.remedy}.")
    return True
