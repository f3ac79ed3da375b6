"""Networks of Hugging Face whose state names every tensor once.

Belongs here: leaving out of a state what is another tensor's. Not here: the networks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class SharedOnce:
    """Stands before a `PreTrainedModel` among the bases of a network."""

    all_tied_weights_keys: Mapping[str, str]

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """Return the tensors by name, without those that are another one's."""
        found = super().state_dict(*args, **kwargs)  # type: ignore[misc]
        return {name: value for name, value in found.items() if name not in self.all_tied_weights_keys}

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> Any:
        """Take the tensors that `state_dict` gave. Raises RuntimeError for others, as torch does."""
        tied = {
            name: state_dict[shared]
            for name, shared in self.all_tied_weights_keys.items()
            if shared in state_dict
        }
        return super().load_state_dict({**state_dict, **tied}, strict, assign)  # type: ignore[misc]
