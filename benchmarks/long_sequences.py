"""Memory and time per token by input length: T-ED, T-D and T-DMCA (Liu et al. 2018).

    python benchmarks/long_sequences.py [--lengths 500,1000,1500,3000,4500] [--plot FILE.png]
    python benchmarks/long_sequences.py --device cuda --width 512 --lengths 1000,4000,11000,16000

Each point has its own process: an update with random weights on a batch of one example, L tokens to 64, after
an update on a short one. Memory is the peak increase: of the process's resident set on a CPU, of torch's
allocator on a GPU, which uses bfloat16. Time is processor time with one thread, or wall time on a GPU after
its work is done. Losses are computed in chunks, so that logits do not hide the cost of attention.
Materialised attention stores its weights, as the paper's code did.

T-D has six layers and T-DMCA five, as in the paper. A point is left out, and shown as such, if it would take
longer than `--seconds`, judged by the model's previous point, or does not fit in memory. The run first checks
that both forms of attention give equal losses on the device, and ends if they do not.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch

from silverloom.ops.models.training.examples import TokenExample
from silverloom.ops.wikisum.long_sequences.model import SequenceModel, make
from silverloom.ops.wikisum.long_sequences.sizes import (
    DecoderParams,
    EncoderDecoderParams,
    ModelParams,
    SubwordVocabulary,
)

TARGET = 64
VOCABULARY = SubwordVocabulary(1000, 0, 1, 2)

#: Tolerances for the losses of the two forms of attention: a GPU sums in another order.
TOLERANCES = {"cpu": 1e-5, "cuda": 1e-4}

#: Architecture, layers and form of attention, by their names in the table.
MODELS = {
    "T-ED, materialised": ("transformer_ed", "6", "eager"),
    "T-ED, SDPA": ("transformer_ed", "6", "sdpa"),
    "T-D, materialised": ("decoder", "FFFFFF", "eager"),
    "T-D, SDPA": ("decoder", "FFFFFF", "sdpa"),
    "T-DMCA, materialised": ("decoder", "LMLML", "eager"),
    "T-DMCA, SDPA": ("decoder", "LMLML", "sdpa"),
}


class Point(NamedTuple):
    """The cost of an update at a length: peak MB added, microseconds per token, and its loss."""

    megabytes: float
    microseconds: float
    loss: float


def build(name: str, width: int, length: int, device: str) -> SequenceModel:
    """Return a model with random weights, which are the same for both forms of attention."""
    architecture, layers, implementation = MODELS[name]
    size: dict[str, Any] = {"width": width, "filter": 4 * width, "heads": max(1, width // 64)}
    size |= {"dropout": 0.0, "longest_source": length, "longest_target": TARGET}
    params: ModelParams = (
        DecoderParams(layers=layers, **size)
        if architecture == "decoder"
        else EncoderDecoderParams(layers=int(layers), **size)
    )
    model = make(params, VOCABULARY)
    model.network.set_attn_implementation(implementation)
    model.network.to(device).train()
    return model


def update(model: SequenceModel, optimiser: torch.optim.Optimizer, length: int) -> float:
    """Learn from one example; return its loss."""
    generator = torch.Generator().manual_seed(length)
    numbers = torch.randint(3, VOCABULARY.size, (length + TARGET,), generator=generator).tolist()
    device = model.network.device.type
    with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
        losses = model.losses([TokenExample(numbers[:length], numbers[length:])])
        tokens = losses.output_tokens + losses.input_tokens
        loss = (losses.output + losses.input).sum() / tokens.sum()
    loss.backward()
    optimiser.step()
    optimiser.zero_grad()
    return float(loss.detach())


def measure(name: str, width: int, length: int, device: str) -> Point:
    """Return the cost of an update at a length, measured in this process."""
    torch.set_num_threads(1)
    model = build(name, width, length, device)
    optimiser = torch.optim.AdamW(model.network.parameters(), lr=1e-4, fused=True)
    update(model, optimiser, 32)
    before = memory(device)
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    began = clock(device)
    loss = update(model, optimiser, length)
    seconds = clock(device) - began
    return Point(memory(device, peak=True) - before, seconds * 1e6 / (length + TARGET), loss)


def memory(device: str, peak: bool = False) -> float:
    """Return the MB in use now or, with `peak`, at most."""
    if device == "cuda":
        return (torch.cuda.max_memory_allocated() if peak else torch.cuda.memory_allocated()) / 1e6
    if peak:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def clock(device: str) -> float:
    """Return process time on a CPU, or wall time on a GPU after its work is done, in seconds."""
    if device == "cpu":
        return time.process_time()
    torch.cuda.synchronize()
    return time.perf_counter()


def child(seconds: float, work: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of `work` in its own process; None if it does not end in time or is killed."""
    context = multiprocessing.get_context("fork")  # torch is loaded, but has computed nothing
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=lambda: sender.send(work(*arguments)))
    process.start()
    sender.close()
    try:
        return receiver.recv() if receiver.poll(30 + 3 * seconds) else None
    except EOFError:
        return None
    finally:
        process.kill()
        process.join()


def compared(width: int, device: str) -> str:
    """Return the first model whose losses differ between both forms of attention; "" if all agree."""
    torch.set_num_threads(1)
    tolerance = TOLERANCES[device]
    for family in ("T-ED", "T-D", "T-DMCA"):
        losses = []
        for form in ("materialised", "SDPA"):
            model = build(f"{family}, {form}", width, 700, device)
            example = TokenExample(list(range(3, 703)), list(range(3, 3 + TARGET)))
            with torch.no_grad():
                found = model.losses([example])
            losses.append(found.output + found.input)
        if not torch.allclose(*losses, rtol=tolerance):
            return f"{family}: materialised attention and SDPA give {losses}"
    return ""


def table(found: dict[str, dict[int, Point | None]], lengths: list[int]) -> str:
    """Return memory and time by model and length as Markdown."""
    lines = []
    for title, field in (("MB added at the peak", "megabytes"), ("microseconds per token", "microseconds")):
        lines += [f"| {title} | {' | '.join(f'L = {length}' for length in lengths)} |"]
        lines += ["|---" * (len(lengths) + 1) + "|"]
        for name, points in found.items():
            cells = [
                f"{getattr(point, field):.0f}" if (point := points.get(length)) else "-" for length in lengths
            ]
            lines.append(f"| {name} | {' | '.join(cells)} |")
        lines.append("")
    return "\n".join(lines)


def thrice(found: dict[str, dict[int, Point | None]]) -> str:
    """Return the memory of T-DMCA at 3 L next to that of T-D at L, for every L with both measurements."""
    lines = []
    base = found.get("T-D, materialised", {})
    for name in ("T-DMCA, materialised", "T-DMCA, SDPA"):
        for length, point in base.items():
            longer = found.get(name, {}).get(3 * length)
            if point and longer:
                lines.append(
                    f"{name} at L = {3 * length}: {longer.megabytes:.0f} MB; "
                    f"T-D, materialised, at L = {length}: {point.megabytes:.0f} MB"
                )
    return "\n".join(lines)


def draw(found: dict[str, dict[int, Point | None]], path: Path) -> None:
    """Plot both quantities by length."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4), layout="constrained")
    for axis, (title, field) in zip(
        axes, (("MB added at the peak", "megabytes"), ("microseconds per token", "microseconds")), strict=True
    ):
        for name, points in found.items():
            there = {length: getattr(point, field) for length, point in points.items() if point}
            axis.plot(list(there), list(there.values()), marker="o", label=name)
        axis.set(xlabel="L, tokens of the input", ylabel=title)
    axes[0].set(yscale="log")
    axes[1].set(ylim=(0, None))
    axes[0].legend(fontsize=8)
    figure.savefig(path, dpi=120)


def main() -> None:
    """Measure all points, and print them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lengths", default="500,1000,1500,3000,4500")
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--models", default=";".join(MODELS))
    parser.add_argument("--seconds", type=float, default=20, help="most seconds per point")
    parser.add_argument("--plot", type=Path)
    chosen = parser.parse_args()
    lengths = [int(length) for length in chosen.lengths.split(",")]
    if (differing := child(60, compared, chosen.width, chosen.device)) != "":
        sys.exit(differing or "the forms of attention could not be compared")
    print(f"losses of both forms of attention at L = 700: equal to {TOLERANCES[chosen.device]}\n")
    found: dict[str, dict[int, Point | None]] = {}
    for name in chosen.models.split(";"):
        points = found.setdefault(name, {})
        expected = 0.0
        for former, length in zip([lengths[0], *lengths], lengths, strict=False):
            if expected * (length / former) ** 2 > chosen.seconds:
                break
            point = points[length] = child(chosen.seconds, measure, name, chosen.width, length, chosen.device)
            if point is None:
                break
            expected = point.microseconds * length / 1e6
            print(
                f"{name}, L = {length}: {point.megabytes:.0f} MB, {point.microseconds:.0f} us per token",
                flush=True,
            )
    print(f"\n{table(found, lengths)}\n{thrice(found)}")
    if chosen.plot:
        draw(found, chosen.plot)


if __name__ == "__main__":
    main()
