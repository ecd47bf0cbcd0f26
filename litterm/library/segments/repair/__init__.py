"""What is damaged in a library: found, set aside, and its list of segments made again."""
