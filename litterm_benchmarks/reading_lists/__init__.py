"""Measuring reading lists against those of experts."""
