"""Commands that bring papers into the library, show, export and hide them."""
