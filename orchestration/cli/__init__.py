"""The `silverloom` command line: options, help and exit statuses. Not here: what a command does."""
