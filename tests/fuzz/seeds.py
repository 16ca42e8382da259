"""Well-formed inputs of each target: what a fuzzer begins with, and what every check plays."""

import gzip
import json
from pathlib import Path

import partbook
from tests.gguf_head import gguf, said

__all__ = ["seeds"]

ROOT = Path(__file__).parents[2]
PARSING = ROOT / "tests" / "parse" / "parsing.jsonl"
CHAT = {
    "model": "partbook",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "Hello"}]},
    ],
    "max_tokens": 9,
    "max_usd": "0.1",
    "response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {}}},
    "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
    "stream_options": {"include_usage": True},
}
REPLY = {
    "model": "m",
    "choices": [{"index": 0, "message": {"content": "é"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4},
}
CHUNK = {"choices": [{"index": 0, "delta": {"content": "ab"}, "finish_reason": None}]}
ANSWERS = (
    "The answer is (B).",
    r"So $x = \boxed{\frac{1}{2}}$, that is 0.5.",
    r"\begin{pmatrix} 1 & 2 \\ 3 & \sqrt[3]{4} \end{pmatrix}",
    "A is wrong, B is not; **C**",
    "3,500 m, or 3.5 km",
    "**Answer:** Vienna (Wien)",
    "1 234 567,89 and 2^{100} mod 7",
    "FIRST is better.\nVERDICT: 2",
)
ROWS = (
    '{"question": "q", "answer": "a", "split": "test"}\n{"question": "p", "answer": 4}\n',
    '{"question": "q", "choices": ["x", "y"], "answer": "B"}\n',
    '{"question": "q", "tests": [{"input": "1", "output": "2"}]}\n',
    '{"question": "q", "pattern": "^[a-z]+$", "id": 7}\n',
    '[{"question": "q", "answer": "a"}]',
    'question,answer\n"q, with ""marks""",a\n',
)


def seeds(target: str) -> list[bytes]:
    """The seeds of a target by its name in `TARGETS`."""
    return _SEEDS[target]


def _stream(*chunks: object) -> bytes:
    return b"".join(b"data: %s\n\n" % json.dumps(one).encode() for one in chunks) + (
        b"data: [DONE]\n\n"
    )


def _files(folder: Path, pattern: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.glob(pattern))]


def _texts(*texts: str) -> list[bytes]:
    return [text.encode() for text in texts]


_PACKAGE = Path(partbook.__file__).parent
_SEEDS: dict[str, list[bytes]] = {
    "parser": [
        json.loads(line)["text"].encode("utf-8", "surrogatepass")
        for line in PARSING.read_text(encoding="utf-8").splitlines()[:400]
    ],
    "wire": [
        json.dumps(REPLY).encode(),
        _stream(CHUNK, CHUNK | {"usage": REPLY["usage"]}),
        b": comment\r\nevent: error\r\ndata: " + json.dumps({"error": {"code": 429}}).encode(),
    ],
    "judges": _texts(*ANSWERS),
    "rows": [*_texts(*ROWS), gzip.compress(ROWS[0].encode()), ROWS[0].encode("utf-16")],
    "pool": _files(_PACKAGE / "pools", "*.toml") + _files(_PACKAGE / "workflows", "*.toml"),
    "bodies": [
        json.dumps(CHAT).encode(),
        json.dumps({"model": "m", "input": "Hello", "reasoning": {"effort": "low"}}).encode(),
        json.dumps({**CHAT, "tool_choice": {"type": "auto"}, "system": "s"}).encode(),
    ],
    "bills": _files(ROOT / "examples" / "bills", "*.csv")
    + _files(ROOT / "examples" / "bills", "*.json*"),
    "model_files": [
        gguf(
            said("general.architecture", "llama"),
            said("llama.block_count", 30),
            said("llama.embedding_length", 576),
            said("llama.attention.head_count", 9),
            said("tokenizer.ggml.model", "gpt2"),
        ),
    ],
}
