"""A shard of the library, as an actor holds it on its node: segments, index, and what is computed over them."""
