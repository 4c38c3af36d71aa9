"""What standing in front of another server costs."""
