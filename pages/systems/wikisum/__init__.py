"""WikiSum's pages: articles with their references, sizes of inputs, and leads."""
