"""The servers of `make ui`, what requests they accept, and where links lead. Not here: pages (pages/)."""
