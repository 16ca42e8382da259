"""Writes the head of a GGUF file, byte by byte, for tests that need no weights."""

import struct


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def entry(key, kind, value):
    return text(key) + struct.pack("<I", kind) + value


def said(key, value):
    """A text, or a whole number of 32 bits."""
    return entry(key, 8, text(value)) if isinstance(value, str) else entry(key, 4, number(value))


def gguf(*entries):
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(entries)) + b"".join(entries)


def number(value):
    return struct.pack("<I", value)
