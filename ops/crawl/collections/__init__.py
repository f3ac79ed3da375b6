"""Collections that others keep: each lists the items of a month, and fetches one. Not here: parsing them."""
