"""ACL Anthology XML."""
