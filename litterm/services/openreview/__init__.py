"""OpenReview."""
