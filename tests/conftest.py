"""Tests run under the environment that the project's own processes run under."""

import orchestration  # noqa: F401  pins the numeric kernels before numpy is loaded
