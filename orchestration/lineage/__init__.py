"""From any row back to the bytes it was made of, and on to what became of it."""
