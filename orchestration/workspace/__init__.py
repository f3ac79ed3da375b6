"""The ground under every process: paths, environment, compiled modules. Not here: what is made."""
