"""Collections kept by others: each lists the items of a month and fetches them. Not here: parsing items."""
