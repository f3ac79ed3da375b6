"""The building blocks of every system's ops. It knows no system, no model and no file format."""
