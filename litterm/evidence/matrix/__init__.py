"""The evidence matrix: papers by hypotheses."""
