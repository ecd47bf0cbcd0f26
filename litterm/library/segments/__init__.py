"""Segments: papers and full texts on disk, immutable, listed by a manifest.

A writer (`writer`) matches records against the library and each other (`batch`, `matching`, `merge`), spools
new rows (`segment`), has them built into a folder (`jobs`) and publishes it (`publication`, `manifest`).
A reader (`library`, `view`) attaches what `CURRENT` names and asks it (`lookup`, `fetch`, `documents`).
`ledger` knows which files came in, `compaction` and `migration` rewrite segments, `journal` is the user's own.
"""
