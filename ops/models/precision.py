"""In which precision products are computed, in training and while a model writes.

Belongs here: the names of precisions, and which devices are made for bfloat16. Not here: who asks for one
(ops/models/training, ops/models/decoding.py). torch is loaded when a device is asked about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import torch

Precision = Literal["float32", "bfloat16"]

#: What processors call their instructions for products of bfloat16: x86, then ARM.
_INSTRUCTIONS = ("avx512_bf16", "amx_bf16", "bf16")


def halves_products(precision: Precision, device: torch.device, strict: bool) -> bool:
    """Return whether products are computed in bfloat16: where asked for, on a device that is made for it.

    Elsewhere it would cost time. Strict numerics have none, since its sums differ between processors.
    """
    import torch

    if precision == "float32" or strict:
        return False
    if device.type == "cpu":
        has = torch.cpu.get_capabilities()
        return any(has.get(name, False) for name in _INSTRUCTIONS)
    return device.type != "cuda" or torch.cuda.is_bf16_supported(including_emulation=False)


def autocast(device: torch.device, halved: bool) -> torch.autocast:
    """Return a context in which products on a device are of bfloat16, or as they are."""
    import torch

    return torch.autocast(device.type, torch.bfloat16, enabled=halved)
