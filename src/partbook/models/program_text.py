"""Finds a Python program in what a model wrote, and makes a silent one print its result.

Nothing is evaluated here: text is bounded, parsed, and cut. A later block corrects an earlier one;
a fence may be unclosed, or stand alone at the end.
"""

import ast
import re
import textwrap
import warnings
from collections.abc import Collection, Iterator
from typing import NamedTuple

__all__ = ["find_program", "with_result_printed"]

_MAX_TEXT = 100_000
"""Characters; a longer text holds no program."""

_FENCE = re.compile(r"[ \t]{0,12}(`{3,}|~{3,})[ \t]*([\w+.-]*)[^`\n]*")
_PYTHON = frozenset(("python", "python3", "py", "py3"))

_ACTS = (
    ast.Call, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Import, ast.ImportFrom,
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.For, ast.While, ast.With, ast.Try,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda,
)  # fmt: skip
"""What a program has and a sentence that happens to be valid Python has not."""


class _Block(NamedTuple):
    language: str
    text: str
    closed: bool


def find_program(text: str, defines: Collection[str] = ()) -> str | None:
    """The program in a text, or None.

    In this order: the last closed block marked as Python that can be compiled, the last one
    without a mark, an unclosed block whose rest can be compiled, the text around a lone fence, the
    whole text.

    Args:
        text: what a model wrote.
        defines: names; the first in this order that defines one of them goes before all others,
            because a later block often only shows how the program is used.
    """
    if len(text) > _MAX_TEXT:
        return None
    first = None
    for program in _programs(text.replace("\r\n", "\n")):
        if not defines or _defines(program, defines):
            return program
        first = program if first is None else first
    return first


def _programs(text: str) -> Iterator[str]:
    blocks, outside = _blocks(text)
    closed = [block for block in reversed(blocks) if block.closed]
    for block in closed:
        if block.language in _PYTHON and _parsed(block.text) is not None:
            yield block.text
    for block in (*closed, *(block for block in blocks if not block.closed)):
        if block.language in ("", *_PYTHON) and _is_program(block.text):
            yield block.text
    if _is_program(outside):
        yield outside


def _defines(program: str, names: Collection[str]) -> bool:
    for node in ast.walk(_parsed(program) or ast.Module([], [])):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if node.name in names:
                return True
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in names:
            return True
    return False


def with_result_printed(program: str) -> str | None:
    """The program with its result printed, or None where it is not clear what that is.

    The result is the value of its last statement, if that is an expression; else what its only
    function without parameters returns, if nothing calls it. None is not printed.
    """
    tree = _parsed(program)
    if tree is None:
        return None
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        lines = program.encode("utf-8", "replace").splitlines(keepends=True)
        # Python counts columns in bytes.
        start = sum(map(len, lines[: last.lineno - 1])) + last.col_offset
        end_line = (last.end_lineno or last.lineno) - 1
        end = sum(map(len, lines[:end_line])) + (last.end_col_offset or 0)
        source = b"".join(lines)
        return _printing(source[:start].decode(), source[start:end].decode())
    name = _uncalled(tree)
    return None if name is None else _printing(f"{program}\n", f"{name}()")


def _printing(before: str, expression: str) -> str:
    return f"{before}_result = ({expression})\nif _result is not None: print(_result)\n"


def _uncalled(tree: ast.Module) -> str | None:
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    free = [function.name for function in functions if _needs_nothing(function.args)]
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    unused = [name for name in free if name not in used]
    return unused[0] if len(unused) == 1 else None


def _needs_nothing(arguments: ast.arguments) -> bool:
    positional = len(arguments.posonlyargs) + len(arguments.args)
    return len(arguments.defaults) == positional and None not in arguments.kw_defaults


def _blocks(text: str) -> tuple[list[_Block], str]:
    # The fenced blocks, and what lies outside them with the fences themselves left out.
    blocks: list[_Block] = []
    outside: list[str] = []
    inside: list[str] = []
    fence, language = "", ""
    for line in text.split("\n"):
        match = _FENCE.fullmatch(line.rstrip())
        if match is None:
            (inside if fence else outside).append(line)
        elif not fence:
            fence, language = match[1], match[2].lower()
        elif match[1].startswith(fence) and not match[2]:
            blocks.append(_Block(language, _dedented(inside), closed=True))
            fence, inside = "", []
        else:
            inside.append(line)
    if fence:
        blocks.append(_Block(language, _dedented(inside), closed=False))
    return blocks, "\n".join(outside)


def _dedented(lines: list[str]) -> str:
    return textwrap.dedent("\n".join(lines) + "\n")


def _is_program(text: str) -> bool:
    tree = _parsed(text)
    if tree is None:
        return False
    nodes = list(ast.walk(tree))
    computes = any(isinstance(node, ast.BinOp | ast.Compare) for node in nodes)
    names = any(isinstance(node, ast.Name) for node in nodes)
    return (computes and not names) or any(isinstance(node, _ACTS) for node in nodes)


def _parsed(text: str) -> ast.Module | None:
    # None where it cannot be compiled or does nothing.
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            warnings.simplefilter("ignore", DeprecationWarning)
            tree = ast.parse(text)
            compile(text, "program", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError):
        return None
    return tree if tree.body else None
