"""The library as tools over the standard streams, by the official package of the Model Context Protocol."""
