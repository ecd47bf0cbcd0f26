"""The five papers that litterm is built on: their main tables, with the figures of litterm beside them."""
