"""What the user writes: decisions, notes and tags of papers, projects."""
