"""The one command line: `silverloom`. Options, help and exit statuses. Not here: what a command does."""
