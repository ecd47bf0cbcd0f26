"""The index of a segment: lexical and semantic, with filter columns."""
