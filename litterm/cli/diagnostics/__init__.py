"""What `doctor` looks at, and what is said of a damaged library."""
