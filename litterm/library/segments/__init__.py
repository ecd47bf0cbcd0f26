"""Segments: papers and full texts on disk, immutable, listed by a manifest.

New rows become the files of a `segment`, which `publication` puts into the library by a new `manifest`. A reader
(`library`) attaches what `CURRENT` names (`connections`) and asks it (`lookup`, `load_papers`, `documents`).
`migration` rewrites what an older litterm made, and `recovery` makes a lost manifest again from what the segments say
of themselves (`description`).
"""
