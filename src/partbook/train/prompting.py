"""What the policy is shown for a row, in the style of its preset.

The styles are those of `prompt.py`. `bare` is for a net of a million weights that is trained from
scratch: it learns the format from its warm start, not from instructions, and every token of a
prompt costs it time. `cards` is the same text for a chat model. A policy must be asked in the
style in which it was trained.
"""

from partbook.message import Message
from partbook.pool import AgentPool
from partbook.prompt import STYLES, PromptStyle, bare_prompt, conductor_messages, prompt_style
from partbook.workflow import MAX_STEPS

__all__ = ["STYLES", "PromptStyle", "bare_prompt", "prompt_messages", "prompt_style"]


def prompt_messages(
    style: PromptStyle, question: str, pool: AgentPool, max_steps: int = MAX_STEPS
) -> tuple[Message, ...]:
    """The prompt in a style; the only message of a bare one stands without a chat template."""
    return conductor_messages(question, pool, max_steps, style=style)
