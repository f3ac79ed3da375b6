"""What ops of every system stand on; it knows no system, no model and no format."""
