"""The texts of all prompts; `prompt.py` fills them in."""
