"""How values and points of a sweep are written, in commands and in tables."""

import json


def text(value):
    """As on a command line; lists and maps as YAML's flow style, which JSON is."""
    return value if isinstance(value, str) else json.dumps(value)


def label(point):
    return ", ".join(f"{name}={text(value)}" for name, value in point.items())
