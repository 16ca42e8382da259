"""The Conductor's text → Workflow or ParseError, and back.

`text.py` holds `parse` and `render`; `lists.py` finds the three lists, `literal.py` and `escape.py`
read them, `reasoning.py` knows which part of a text is not meant.
"""

from partbook.parse.text import MAX_CHARS, Reason, parse, render

__all__ = ["MAX_CHARS", "Reason", "parse", "render"]
