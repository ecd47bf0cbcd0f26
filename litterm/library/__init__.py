"""The library on disk: import, segments, index, full texts."""
