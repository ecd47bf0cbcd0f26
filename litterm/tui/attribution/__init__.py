"""The citation dialog, the citation agent and drafts."""
