"""Files on disk: written whole, hashed as DVC does it; damage and full disks. Not here: what is in them."""
