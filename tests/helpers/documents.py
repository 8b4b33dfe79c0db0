"""README.md and docs/ as tests read them: what stands between backticks, in blocks of code and in tables."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def ours(text: str) -> str:
    """Return a document without the names of reports: of their tables only the column of ours is kept."""

    def kept(table: re.Match[str]) -> str:
        rows = [[cell.strip() for cell in row.split("|")] for row in table[0].splitlines()]
        here = next((place for place, title in enumerate(rows[0]) if title in ("here", "successor")), None)
        if here is None or "elsewhere" in rows[0]:
            return table[0]
        return "".join(f"| {row[here]} |\n" for row in rows if len(row) > here)

    return re.sub(r"(?:^\|.*\n)+", kept, text, flags=re.MULTILINE)


def blocks(text: str) -> list[str]:
    """Return the lines of blocks of code, each whole."""
    indented = re.findall(r"^(?: {4}.*\n|\n(?= {4}))+", text, re.MULTILINE)
    fenced = re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [line.strip() for block in (*indented, *fenced) for line in block.replace("\\\n", " ").splitlines()]


def spans(text: str) -> list[str]:
    """Return what stands between backticks."""
    return re.findall(r"(?<!`)`([^`\n]+)`(?!`)", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))


def commands(text: str) -> Iterator[list[str]]:
    """Yield the words of what may be a command, in a block or between backticks, less variables before it."""
    for line in (*blocks(text), *spans(text)):
        try:
            words = shlex.split(line, comments=True)
        except ValueError:
            words = line.split()
        for part in re.split(r"\0[|;&]+\0", "\0".join(words)):
            found = [word for word in part.split("\0") if word]
            while len(found) > 1 and re.match(r"[A-Z_]+=|time$", found[0]):
                del found[0]
            if found:
                yield found
