"""The data that layers hand to each other: frozen, slotted dataclasses made of tuples, one module a family.

What only annotations need is imported under `TYPE_CHECKING`: a search would otherwise pay for importing matrices,
agents and language models.
"""
