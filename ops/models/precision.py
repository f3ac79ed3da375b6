"""The precision of matrix products, in training and in decoding.

Belongs here: the names of precisions, and which devices support bfloat16 in hardware. Not here: the params
that choose one (ops/models/training, ops/models/decoding.py). torch is loaded when a device is checked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import torch

Precision = Literal["float32", "bfloat16"]

#: The CPU features that provide bfloat16 products: two of x86, then ARM's.
_INSTRUCTIONS = ("avx512_bf16", "amx_bf16", "bf16")


def halves_products(precision: Precision, device: torch.device, strict: bool) -> bool:
    """Return whether products are computed in bfloat16: if requested, and supported by the device's hardware.

    On other devices bfloat16 would be slower. Strict numerics never use it, because its sums differ between
    processors.
    """
    import torch

    if precision == "float32" or strict:
        return False
    if device.type == "cpu":
        has = torch.cpu.get_capabilities()
        return any(has.get(name, False) for name in _INSTRUCTIONS)
    return device.type != "cuda" or torch.cuda.is_bf16_supported(including_emulation=False)


def autocast(device: torch.device, halved: bool) -> torch.autocast:
    """Return a context in which products on a device use bfloat16 if `halved`, else their usual precision."""
    import torch

    return torch.autocast(device.type, torch.bfloat16, enabled=halved)
