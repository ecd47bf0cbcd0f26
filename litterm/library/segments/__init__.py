"""Segments: papers and full texts on disk, immutable, listed by a manifest.

New rows become the files of a `segment`, which a new `manifest` puts into the library. A reader (`library`) attaches
what `CURRENT` names (`connections`) and queries it (`lookup`, `documents`). `migration` rewrites what an older litterm
made, and `repair` makes a lost manifest again from what the segments say of themselves (`built_segment`).
"""
