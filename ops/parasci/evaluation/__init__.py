"""What people say of the pairs."""
