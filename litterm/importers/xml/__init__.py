"""XML and HTML read safely, and what several XML formats share."""
