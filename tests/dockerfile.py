"""A Dockerfile as its stages and instructions, as far as ours goes."""

import re
import shlex
from dataclasses import dataclass
from string import Template

KNOWN = frozenset(
    "FROM ARG ENV RUN WORKDIR COPY USER VOLUME EXPOSE HEALTHCHECK CMD".split()
)  # what `tests/container.py` can do or leave out


@dataclass(frozen=True)
class Instruction:
    """One instruction.

    Attributes:
        name: "RUN".
        flags: What stands before the rest, by name: {"from": "build"}.
        text: The rest, with its lines joined.
    """

    name: str
    flags: dict[str, str]
    text: str


@dataclass(frozen=True)
class Stage:
    """What follows a FROM, up to the next one.

    Attributes:
        name: After AS; "" for none.
        base: The image it begins with.
        instructions: In their order.
    """

    name: str
    base: str
    instructions: tuple[Instruction, ...]

    def last(self, name: str) -> Instruction:
        """The one of several instructions of a name that counts."""
        return [each for each in self.instructions if each.name == name][-1]


def read(text: str) -> tuple[dict[str, str], list[Stage]]:
    """The arguments before the first stage with their defaults, and the stages.

    Raises:
        ValueError: An instruction is not one that this project uses.
    """
    shared: dict[str, str] = {}
    stages: list[Stage] = []
    for instruction in _instructions(text):
        if instruction.name == "FROM":
            base, _, name = instruction.text.partition(" AS ")
            stages.append(Stage(name, Template(base).substitute(shared), ()))
        elif not stages:
            shared |= assigned(instruction.text, shared)
        else:
            before = stages.pop()
            more = (*before.instructions, instruction)
            stages.append(Stage(before.name, before.base, more))
    return shared, stages


def assigned(text: str, known: dict[str, str]) -> dict[str, str]:
    """What ARG or ENV sets: names and values, in which names that are known are filled in."""
    pairs = (part.partition("=") for part in shlex.split(text))
    return {name: Template(value).safe_substitute(known) for name, _, value in pairs}


def _instructions(text: str) -> list[Instruction]:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    found = []
    for line in re.sub(r" *\\\n\s*", " ", "\n".join(lines)).splitlines():
        name, _, rest = line.partition(" ")
        if name not in KNOWN:
            raise ValueError(f"an instruction that is not known here: {line}")
        flags = {}
        while flag := re.match(r"--([\w-]+)=(\S+) +", rest):
            flags[flag[1]] = flag[2]
            rest = rest[flag.end() :]
        found.append(Instruction(name, flags, rest.strip()))
    return found
