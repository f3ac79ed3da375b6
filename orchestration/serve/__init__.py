"""The servers of `make ui`, whom they answer, and where links lead. Not here: what pages say (pages/)."""
