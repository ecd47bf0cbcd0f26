"""The citations of a manuscript: missing ones proposed, present ones checked."""
