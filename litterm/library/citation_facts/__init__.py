"""What the field knows about its papers: names, who cites whom, counts, and words near marks."""
