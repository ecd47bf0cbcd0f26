"""A sentence encoder of the user's choice: its files, its forward pass, and the vectors of papers that it makes."""
