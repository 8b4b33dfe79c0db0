"""Hostile texts made of good ones: a seeded fuzzer of JSON, and how many examples a test takes."""

import json
import os
import random
from collections.abc import Iterator, Sequence
from typing import Any

EXAMPLES = int(os.environ.get("ARENA_TREES_FUZZ", "2000"))
"""Examples a parser; ``ARENA_TREES_FUZZ=100000`` for a long look."""

_TOKENS = (
    "NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1e308", "-0", "-0.0", "0e5", "1E5", "true", "false", "null",
    "9" * 19, "9" * 21, "1" * 5000, "-" + "9" * 4400, "1" * 400 + ".5", "0." + "1" * 4000, str(1 << 63),
    str((1 << 63) - 1), str((1 << 53) - 1), "0", "-1", "1.5", '""', '"' + "x" * 70 + '"', '"' + "x" * 20_000 + '"',
    r'"\ud800"', r'"\udc00x"', r'"\u0000"', '"\u00b2"', '"\u0663"', '"\u202e"', r'"\n"', "[]", "{}", "[[]]", '{"":0}',
    "[" * 40 + "]" * 40, "[" * 3000 + "]" * 3000, "[" * 30_000, '{"a":' * 60 + "1" + "}" * 60, '{"1":true,"01":false}',
    '{"1":true,"1":false}', '{"' + "1" * 5000 + '":true}', '{"-1":true," 2":true}', '{"1_0":true}',
)  # fmt: skip

_LETTERS = '{}[]",:.-+eE0123456789 \t\n\\/u\x00\x7f\u00e9\u2028abcNIntrue'


def hostile_texts(good: Sequence[Any], seed: int = 0, examples: int = EXAMPLES) -> Iterator[str]:
    """Yield so many texts: good values and what is made of them, as values and as texts.

    Args:
        good: values that a parser takes, as JSON has them
        seed: of the generator
        examples: how many
    """
    draw = random.Random(seed)
    for _ in range(examples):
        text = _dumped(draw.choice(good), draw, draw.choice((0.0, 0.02, 0.1)))
        if draw.random() < 0.5:
            for _ in range(draw.choice((1, 1, 2, 5))):
                text = _cut(text, draw)
        yield text


def _dumped(value: Any, draw: random.Random, rate: float) -> str:
    """Return a value as JSON, in which some values are others."""
    if draw.random() < rate:
        return draw.choice(_TOKENS)
    if isinstance(value, dict):
        pairs = [(json.dumps(key), item) for key, item in value.items()]
        for number, (_, item) in enumerate(list(pairs)):
            chance = draw.random()
            if chance < rate / 2:
                pairs[number] = ('"' + draw.choice(_LETTERS[14:]) * draw.choice((1, 5000)) + '"', item)
            elif chance < rate:
                pairs.append(pairs[number])
        if draw.random() < rate and pairs:
            pairs.pop(draw.randrange(len(pairs)))
        return "{" + ",".join(f"{key}:{_dumped(item, draw, rate)}" for key, item in pairs) + "}"
    if isinstance(value, list):
        items = value * draw.choice((0, 2, 2, 2, 2, 300)) if draw.random() < rate else value
        return "[" + ",".join(_dumped(item, draw, rate) for item in items) + "]"
    return json.dumps(value)


def _cut(text: str, draw: random.Random) -> str:
    """Return a text with a piece of it taken out, doubled, or replaced."""
    begin = draw.randrange(len(text) + 1)
    end = min(len(text), begin + draw.choice((0, 1, 1, 2, 10, 100)))
    new = draw.choice(("", draw.choice(_LETTERS), draw.choice(_TOKENS), text[begin:end] * 2))
    return text[:begin] + new + text[end:]
