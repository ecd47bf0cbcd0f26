"""Files to scores: lexical index parts and filter columns."""
