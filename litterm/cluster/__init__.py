"""One library on the machines of a Ray cluster: segments are held by actors, and imports and matrices are tasks."""
