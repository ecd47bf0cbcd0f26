"""Who may ask, how fast and how much; and the log of who did."""
