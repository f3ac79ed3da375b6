"""How trained models write: how many answers at a time, and in which precision.

Belongs here: the knobs of every section whose models write, and what they do to a model. Not here: beams and
lengths, which a model's own config has; the networks (ops/models/seq2seq, ops/wikisum/long_sequences). torch
is loaded when a model writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field

from ops.core.params import Params
from ops.models.precision import Precision, autocast, halves_products

if TYPE_CHECKING:
    import torch


class Decoding(Params):
    """How models write. Both knobs may change an answer: where two are about as probable, and where the
    `growth` of a config bounds one, which counts from the longest source beside it.
    """

    batch_size: int | None = Field(
        None,
        ge=1,
        description="sources that are answered together; null: as many as the model takes by itself",
    )
    precision: Precision = Field(
        "float32", description="of products, on a device that is made for it; strict numerics: float32"
    )


#: What a section has where it says nothing, and then it does not say so either.
AS_USUAL = Decoding()


def decoding_field() -> Any:
    """Return the field of a section whose models write."""
    return Field(AS_USUAL, exclude_if=lambda value: value == AS_USUAL, description="how its models write")


class Writer:
    """A model that writes: its network, where it is, and how it decodes."""

    network: Any
    _strict = True
    decoding = AS_USUAL

    def place(self, strict: bool, decoding: Decoding = AS_USUAL) -> None:
        """Decode in a way from now on; on a GPU, if there is one and numerics are not strict."""
        import torch

        self._strict, self.decoding = strict, decoding
        if not strict and torch.cuda.is_available():
            self.network.to("cuda")

    def at_once(self, usual: int) -> int:
        """Return how many sources are answered together."""
        return self.decoding.batch_size or usual

    def products(self) -> torch.autocast:
        """Return a context in which products have the precision that was asked for."""
        device = self.network.device
        return autocast(device, halves_products(self.decoding.precision, device, self._strict))
