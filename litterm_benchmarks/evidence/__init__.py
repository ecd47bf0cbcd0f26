"""Measuring evidence: sentences shown for a hypothesis, verdicts and their calibration."""
