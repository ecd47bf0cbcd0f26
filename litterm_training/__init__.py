"""Making the small files of weights and counts that ship: run by hand, never at run time."""
