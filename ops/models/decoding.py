"""How trained models generate text: how many outputs at a time, and in which precision.

Belongs here: the decoding params of every section whose models generate text, and how they are applied to a
model. Not here: beams and lengths, which are in a model's own config; the networks (ops/models/seq2seq,
ops/wikisum/long_sequences). torch is loaded when a model generates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from silverloom.ops.core.params import Params
from silverloom.ops.models.precision import Precision, autocast, halves_products

if TYPE_CHECKING:
    import torch


class Decoding(Params):
    """How models generate text.

    Both params may change an output: if two outputs are about equally probable, and if the config's `growth`
    limits an output's length, because `growth` counts from the longest source of the batch.
    """

    batch_size: int | None = Field(
        None,
        ge=1,
        description="sources that are answered together; null: as many as the model takes by itself",
    )
    precision: Precision = Field(
        "float32", description="of products, on a device that is made for it; strict numerics: float32"
    )


#: The default of a section. It is left out when the section is written, so that its key stays the same.
AS_USUAL = Decoding()


def decoding_field() -> Any:
    """Return the pydantic field for a section whose models generate text."""
    return Field(AS_USUAL, exclude_if=lambda value: value == AS_USUAL, description="how its models write")


class Writer:
    """A model that generates text: its network, its device, and its decoding params."""

    network: Any
    _strict = True
    decoding = AS_USUAL

    def place(self, strict: bool, decoding: Decoding = AS_USUAL) -> None:
        """Set how the model decodes; move it to a GPU if there is one and numerics are not strict."""
        import torch

        self._strict, self.decoding = strict, decoding
        if not strict and torch.cuda.is_available():
            self.network.to("cuda")

    def at_once(self, usual: int) -> int:
        """Return the batch size for decoding: `usual`, unless params set one."""
        return self.decoding.batch_size or usual

    def products(self) -> torch.autocast:
        """Return a context in which matrix products have the requested precision."""
        device = self.network.device
        return autocast(device, halves_products(self.decoding.precision, device, self._strict))
