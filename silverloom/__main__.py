"""`python -m silverloom` is the command `silverloom`."""

from silverloom.command import main

main()
