"""The home screen: its sections, their layout and their actions."""
