"""References and citations of papers: fetched, counted, followed to the first papers."""
