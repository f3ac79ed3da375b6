"""What is expected of the data, and what was found."""
