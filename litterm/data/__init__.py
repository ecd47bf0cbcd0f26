"""What ships in the wheel: starter library and small model files."""
