"""A cited paper looked for: excerpts and candidates, what an agent does, drafts with open marks."""
