"""litterm over the library of a server: the parts of an engine that ask there."""
