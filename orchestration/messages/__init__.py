"""What people read while something runs and when it fails. Not here: pages."""
