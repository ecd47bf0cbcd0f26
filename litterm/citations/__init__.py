"""The citation graph: who cites whom, reference lists, first papers."""
