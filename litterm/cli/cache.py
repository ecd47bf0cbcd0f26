"""`litterm cache`: sizes of the caches of model replies, grades and service answers, and how to clear them."""

from __future__ import annotations

import argparse

from litterm.cli.context import Context


def declare(_command: str, parser: argparse.ArgumentParser) -> None:
    """Adds the options of `cache`."""
    parser.add_argument("--clear", action="store_true", help="delete everything cached; the library is not touched")
    parser.add_argument("--json", action="store_true", help="JSON on stdout")


def run(_command: str, args: argparse.Namespace, context: Context) -> int:
    """Prints the sizes, or clears the caches; always 0."""
    from litterm.llm.cache import clear_folder, measure_folder
    from litterm.llm.factory import capabilities_folder, open_reply_cache

    settings = context.settings
    places = {
        "replies": open_reply_cache(settings).folder,
        "grades": settings.cache / "grades",
        "endpoints": capabilities_folder(settings),
    }
    counts = {name: (clear_folder if args.clear else measure_folder)(folder) for name, folder in places.items()}
    counts["answers"] = (clear_folder if args.clear else measure_folder)(settings.cache / "web", "*.answer")
    if args.json:
        body: dict[str, object] = {name: {"files": files, "bytes": size} for name, (files, size) in counts.items()}
        context.output.write_json({"folder": str(settings.cache), "cleared": args.clear, **body})
        return 0
    replies, grades, endpoints, answers = counts.values()
    state = "cleared" if args.clear else "kept"
    context.output.write_lines(
        (
            f"{state} in {settings.cache}:",
            f"  {replies[0]:,} replies of models, {replies[1] / 1e6:,.1f} MB",
            f"  {grades[0]:,} files with grades of papers, one per aspect, {grades[1] / 1e6:,.1f} MB",
            f"  {endpoints[0]:,} notes on what endpoints accept",
            f"  {answers[0]:,} answers of online services, {answers[1] / 1e6:,.1f} MB",
        )
    )
    return 0
