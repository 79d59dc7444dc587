"""A layer-dropped encoder whose coarse weights are trained to give the vectors of the whole one (PyTorch).

The loss is that of sentence distillation: 1 - cosine with the teacher's vector, and the squared difference
between the student's and the teacher's similarities within a batch. Weights are rounded in the forward
pass, and the gradient goes past the rounding (straight-through estimator: Bengio, Léonard and Courville
2013, arXiv:1308.3432).
"""

import time
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from export_model import EPSILON, HEADS, POSITIONS, WIDTH, Array
from torch import nn
from torch.nn import functional

BATCH = 64
CALIBRATION = 400
"""Sentences by which the steps of the matrices are set."""
MATRICES = {
    "attention.self": ("query", "key", "value"),
    "attention.output": ("dense",),
    "intermediate": ("dense",),
    "output": ("dense",),
}


class Layer(nn.Module):
    """A layer of BERT. `steps` holds the step [1, in] to whose multiples each matrix is rounded."""

    def __init__(self, weights: dict[str, Array], number: int) -> None:
        super().__init__()
        self.weights = nn.ParameterDict()
        self.biases = nn.ParameterDict()
        for place, parts in MATRICES.items():
            keys = [f"encoder.layer.{number}.{place}.{part}" for part in parts]
            name = place.replace(".", "_")
            for kind, target in (("weight", self.weights), ("bias", self.biases)):
                whole = np.concatenate([weights[f"{key}.{kind}"] for key in keys])
                target[name] = nn.Parameter(torch.tensor(whole))
        self.norms = nn.ParameterDict()
        for place in ("attention.output", "output"):
            for kind in ("weight", "bias"):
                key = f"encoder.layer.{number}.{place}.LayerNorm.{kind}"
                self.norms[f"{place.replace('.', '_')}_{kind}"] = nn.Parameter(torch.tensor(weights[key]))
        self.steps: dict[str, torch.Tensor] = {}
        self.moments: dict[str, torch.Tensor] | None = None

    def _linear(self, x: torch.Tensor, name: str) -> torch.Tensor:
        weight = self.weights[name]
        if self.moments is not None:
            self.moments[name] = self.moments.get(name, 0) + x.reshape(-1, x.shape[-1]).square().sum(0)
        if name in self.steps:
            with torch.no_grad():
                rounded = rounded_to(weight, self.steps[name]) * self.steps[name]
            weight = weight + (rounded - weight).detach()
        return functional.linear(x, weight, self.biases[name])

    def _norm(self, x: torch.Tensor, name: str) -> torch.Tensor:
        scale, shift = self.norms[f"{name}_weight"], self.norms[f"{name}_bias"]
        return functional.layer_norm(x, (WIDTH,), scale, shift, EPSILON)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Vectors [batch, pieces, WIDTH] of a layer."""
        heads = [
            part.unflatten(-1, (HEADS, -1)).transpose(1, 2)
            for part in self._linear(x, "attention_self").split(WIDTH, -1)
        ]
        context = functional.scaled_dot_product_attention(*heads, attn_mask=mask).transpose(1, 2).flatten(2)
        x = self._norm(x + self._linear(context, "attention_output"), "attention_output")
        hidden = functional.gelu(self._linear(x, "intermediate"))
        return self._norm(x + self._linear(hidden, "output"), "output")


def rounded_to(weight: torch.Tensor, step: torch.Tensor) -> torch.Tensor:
    """Codes from -127 to 127."""
    return torch.clamp(torch.round(weight / step), -127, 127)


class Student(nn.Module):
    """Some layers of an encoder over its word table, which is not trained."""

    def __init__(self, weights: dict[str, Array], numbers: Sequence[int]) -> None:
        super().__init__()
        self._published = weights
        self.numbers = numbers
        self.words = torch.tensor(weights["embeddings.word_embeddings.weight"])
        positions = weights["embeddings.position_embeddings.weight"][:POSITIONS]
        self.positions = torch.tensor(positions + weights["embeddings.token_type_embeddings.weight"][0])
        self.scale = nn.Parameter(torch.tensor(weights["embeddings.LayerNorm.weight"]))
        self.shift = nn.Parameter(torch.tensor(weights["embeddings.LayerNorm.bias"]))
        self.layers = nn.ModuleList(Layer(weights, number) for number in numbers)

    def forward(self, rows: Sequence[Sequence[int]]) -> torch.Tensor:
        """Unit vectors [rows, WIDTH] of rows of piece ids."""
        longest = max(map(len, rows))
        ids = torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows])
        mask = torch.tensor([[at < len(row) for at in range(longest)] for row in rows])
        x = functional.embedding(ids, self.words) + self.positions[:longest]
        x = functional.layer_norm(x, (WIDTH,), self.scale, self.shift, EPSILON)
        with torch.autocast("cpu", torch.bfloat16):
            for layer in self.layers:
                x = layer(x, mask[:, None, None, :])
        sums = (x.float() * mask[..., None]).sum(1)
        return functional.normalize(sums, dim=-1)

    @torch.no_grad()
    def vectors(self, rows: Sequence[Sequence[int]]) -> Array:
        """The same, batch by batch of rows of like length."""
        order = sorted(range(len(rows)), key=lambda at: len(rows[at]))
        found = np.zeros((len(rows), WIDTH), np.float32)
        for start in range(0, len(order), 2 * BATCH):
            batch = order[start : start + 2 * BATCH]
            found[batch] = self([rows[at] for at in batch]).numpy()
        return found

    @torch.no_grad()
    def set_steps(self, rows: Sequence[Sequence[int]], coarseness: float) -> None:
        """Steps for every matrix: `coarseness` times its root mean square, finer for inputs that are large.

        With the step of an input inverse to the root of the input's mean square, every input adds the same
        error to the output, which is the least error for the same number of bits (reverse water-filling).
        """
        for layer in self.layers:
            layer.moments = {}
        for row in rows:
            self([row])
        for layer in self.layers:
            for name, moment in layer.moments.items():
                share = (moment / moment.mean() + 1e-3).rsqrt()
                share = (share / share.log().mean().exp()).clamp(0.1, 4)
                size = (layer.weights[name] / share).square().mean().sqrt()
                # As the model's file keeps it.
                layer.steps[name] = (coarseness * size * share).half().float()[None, :]
            layer.moments = None

    def train_on(self, rows: list[list[int]], teacher: Array, steps: int, rate: float) -> None:
        """`steps` steps of AdamW at a rate that falls from `rate` to 0."""
        targets = torch.tensor(teacher)
        random = np.random.default_rng(0)
        optimiser = torch.optim.AdamW(self.parameters(), lr=rate, weight_decay=0.0, betas=(0.9, 0.98))
        batches: list[npt.NDArray[np.int64]] = []
        begun = time.monotonic()
        for step in range(steps):
            if not batches:
                batches = _batches(rows, random)
            batch = batches.pop()
            for group in optimiser.param_groups:
                group["lr"] = rate * min(1.0, (step + 1) / 30) * (1 - step / steps)
            found, target = self([rows[at] for at in batch]), targets[batch]
            apart = (1 - (found * target).sum(1)).mean()
            loss = apart + 5 * (found @ target.T - target @ target.T).square().mean()
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(self.parameters(), 1.0)
            optimiser.step()
            if step % 50 == 0:
                print(
                    f"step {step}: cosine {1 - apart.item():.4f}; {time.monotonic() - begun:.0f} s",
                    flush=True,
                )

    @torch.no_grad()
    def trained(self) -> tuple[dict[str, Array], dict[str, Array]]:
        """Weights by their published names, and the matrices' steps [1, in] by their names in the graph."""
        weights = dict(self._published)
        weights["embeddings.LayerNorm.weight"] = self.scale.numpy()
        weights["embeddings.LayerNorm.bias"] = self.shift.numpy()
        steps: dict[str, Array] = {}
        for number, layer in zip(self.numbers, self.layers, strict=True):
            at = f"encoder.layer.{number}"
            for place, parts in MATRICES.items():
                name = place.replace(".", "_")
                for kind, source in (("weight", layer.weights), ("bias", layer.biases)):
                    for part, value in zip(parts, np.split(source[name].numpy(), len(parts)), strict=True):
                        weights[f"{at}.{place}.{part}.{kind}"] = value
                steps[name_in_graph(number, place)] = layer.steps[name].numpy()
            for place in ("attention.output", "output"):
                for kind in ("weight", "bias"):
                    weights[f"{at}.{place}.LayerNorm.{kind}"] = layer.norms[
                        f"{place.replace('.', '_')}_{kind}"
                    ].numpy()
        return weights, steps


def name_in_graph(number: int, place: str) -> str:
    """What the export calls the matrix of a place in a layer."""
    part = {"attention.self": "qkv", "attention.output": "o", "intermediate": "up", "output": "down"}[place]
    return f"layer{number}_{part}_w"


def _batches(rows: list[list[int]], random: np.random.Generator) -> list[npt.NDArray[np.int64]]:
    """Every row once, in batches of like length, in random order."""
    order = random.permutation(len(rows))
    found = []
    for start in range(0, len(order), 16 * BATCH):
        block = np.array(sorted(order[start : start + 16 * BATCH], key=lambda at: len(rows[at])))
        found += [block[at : at + BATCH] for at in range(0, len(block), BATCH)]
    random.shuffle(found)
    return found
