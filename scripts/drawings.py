"""The drawings of docs/how-it-works.md, as SVG: boxes, arrows and words, and nothing to fetch.

`generate_docs.py` writes them or compares them. Colours are those of the page in web/, on a light
ground of their own, so that they read the same on a light and on a dark page.
"""

from collections.abc import Sequence
from html import escape
from pathlib import Path

FOLDER = Path("docs") / "images"
INK, SOFT, ACCENT, GROUND, SHADE = "#1f1b16", "#6e6659", "#a5341c", "#fefcf6", "#f0eadc"


def drawings() -> dict[Path, str]:
    """Path below the repository -> SVG."""
    drawn = {"flow": _flow(), "waves": _waves(), "budget": _budget(), "training": _training()}
    return {FOLDER / f"{name}.svg": text for name, text in drawn.items()}


def _picture(title: str, width: int, height: int, parts: Sequence[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" font-family="sans-serif" font-size="14">'
    )
    arrow = (
        '<marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" '
        f'orient="auto"><path d="M0 0L8 4L0 8z" fill="{SOFT}"/></marker>'
    )
    ground = f'<rect width="{width}" height="{height}" fill="{GROUND}"/>'
    return "\n".join(
        [head, f"<title>{escape(title)}</title>", f"<defs>{arrow}</defs>", ground, *parts, "</svg>"]
    )


def _box(x: int, y: int, width: int, height: int, words: str, strong: bool = False) -> str:
    """A box with one or more lines in its middle."""
    colour, ground = (ACCENT, "#f6e4da") if strong else (SOFT, SHADE)
    lines = words.split("\n")
    top = y + height / 2 + 5 - 9 * (len(lines) - 1)
    texts = [
        f'<text x="{x + width / 2:g}" y="{top + 18 * i:g}" text-anchor="middle" '
        f'fill="{INK}">{escape(line)}</text>'
        for i, line in enumerate(lines)
    ]
    frame = (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="5" fill="{ground}" '
        f'stroke="{colour}"/>'
    )
    return "\n".join([frame, *texts])


def _line(*points: tuple[int, int], dashed: bool = False, head: bool = True) -> str:
    """A line through the points, with an arrow at its end."""
    path = " ".join(f"{x},{y}" for x, y in points)
    more = ' stroke-dasharray="5 4"' * dashed + ' marker-end="url(#a)"' * head
    return f'<polyline points="{path}" fill="none" stroke="{SOFT}" stroke-width="1.5"{more}/>'


def _stave(y: int) -> str:
    return f'<line x1="85" x2="660" y1="{y}" y2="{y}" stroke="#ddd5c4" stroke-width="1.5"/>'


def _words(x: int, y: int, words: str, anchor: str = "start", colour: str = SOFT) -> str:
    return (
        f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="13" fill="{colour}">'
        f"{escape(words)}</text>"
    )


def _flow() -> str:
    return _picture(
        "From a question to an answer",
        760,
        290,
        [
            _box(20, 40, 100, 50, "question"),
            _box(170, 40, 120, 50, "Conductor\n(a ChatModel)", strong=True),
            _box(340, 40, 90, 50, "parse"),
            _box(480, 40, 110, 50, "Workflow\n1 to 5 steps", strong=True),
            _line((120, 65), (168, 65)),
            _line((290, 65), (338, 65)),
            _line((430, 65), (478, 65)),
            _words(314, 57, "text", "middle"),
            _words(385, 112, "no workflow in it: one", "middle"),
            _words(385, 128, "stricter try, then the fallback", "middle"),
            _line((535, 90), (535, 158)),
            _box(470, 160, 130, 50, "play"),
            _box(640, 120, 100, 40, "worker"),
            _box(640, 165, 100, 40, "worker"),
            _box(640, 210, 100, 40, "tool"),
            _line((600, 178), (638, 142)),
            _line((600, 185), (638, 185)),
            _line((600, 192), (638, 228)),
            _line((470, 185), (392, 185)),
            _box(290, 160, 100, 50, "Trace", strong=True),
            _line((290, 185), (222, 185)),
            _box(120, 160, 100, 50, "answer"),
            _line((340, 160), (340, 142), (230, 142), (230, 92), dashed=True),
            _words(120, 140, "another round,", "start"),
            _words(120, 156, "if it is allowed", "start"),
            _line((535, 210), (535, 245), (392, 245)),
            _box(230, 225, 160, 42, "live view · page · store"),
            _words(462, 239, "events", "middle"),
        ],
    )


def _waves() -> str:
    bars = [_words(205 + 180 * i, 28, f"wave {i}", "middle") for i in range(3)]
    staves = []
    for i, name in enumerate(("reader", "coder", "python", "checker")):
        y = 75 + 62 * i
        staves += [_words(15, y + 5, name, colour=INK), _stave(y)]
    return _picture(
        "A workflow as waves",
        680,
        320,
        [
            *bars,
            *staves,
            _box(130, 55, 150, 40, "0 ▸ What is given?"),
            _box(130, 117, 150, 40, "1 ▸ Write a program."),
            _box(310, 179, 150, 40, "2 ▸ Run it."),
            _box(490, 241, 150, 40, "3 ▸ Do they agree?", strong=True),
            _line((280, 137), (295, 137), (295, 199), (308, 199)),
            _line((460, 199), (475, 199), (475, 255), (488, 255)),
            _line((280, 75), (565, 75), (565, 239)),
            _words(130, 300, "access: step 2 reads 1, step 3 reads 0 and 2; 0 and 1 run at once"),
        ],
    )


def _budget() -> str:
    def bar(y: int, parts: Sequence[tuple[int, str, str]], says: str) -> list[str]:
        x, drawn = 20, []
        for width, colour, words in parts:
            drawn.append(
                f'<rect x="{x}" y="{y}" width="{width}" height="34" fill="{colour}" '
                f'stroke="{SOFT}"/>'
            )
            if words:
                drawn.append(_words(x + width // 2, y + 22, words, "middle", INK))
            x += width
        return [*drawn, _words(20, y - 8, says, colour=INK)]

    free, held, spent = GROUND, "#f6e4da", "#d9c3a5"
    return _picture(
        "A limit: reserve, settle",
        680,
        270,
        [
            *bar(35, [(120, spent, "spent"), (520, free, "left")], "1. The limit of the request"),
            *bar(
                100,
                [
                    (120, spent, "spent"),
                    (260, held, "worst case of A"),
                    (200, held, "of B"),
                    (60, free, "left"),
                ],
                "2. Two calls at once: each takes its worst case before it is made",
            ),
            *bar(
                165,
                [(120, spent, "spent"), (90, spent, "A"), (200, held, "of B"), (230, free, "left")],
                "3. A is answered: what it really took is booked, the rest is free again",
            ),
            _words(20, 230, "A call whose worst case does not fit any more is not made: the run"),
            _words(20, 248, "ends as `stopped`, with the best answer so far in its trace."),
        ],
    )


def _training() -> str:
    return _picture(
        "Training by reward",
        720,
        300,
        [
            _box(20, 40, 120, 56, "problem\nwith reference"),
            _box(190, 40, 130, 56, "policy\nas Conductor", strong=True),
            _box(370, 40, 130, 56, "G workflows\n(a group)"),
            _box(560, 40, 130, 56, "played on the\npool of the row"),
            _line((140, 68), (188, 68)),
            _line((320, 68), (368, 68)),
            _line((500, 68), (558, 68)),
            _line((625, 96), (625, 158)),
            _box(560, 160, 130, 50, "judge"),
            _line((560, 185), (502, 185)),
            _box(370, 150, 130, 76, "reward\n0 · 0.5 · 1\nor not scored"),
            _line((370, 185), (322, 185)),
            _box(190, 160, 130, 50, "advantages\nin the group"),
            _line((255, 160), (255, 98)),
            _words(268, 134, "GRPO step", "start"),
            _words(370, 250, "an outage, a limit or a judge that cannot say:", "start"),
            _words(370, 267, "not scored, and the whole group is dropped", "start"),
            _words(190, 250, "equal rewards", "start"),
            _words(190, 267, "teach nothing", "start"),
        ],
    )
