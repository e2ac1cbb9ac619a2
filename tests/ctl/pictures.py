#!/usr/bin/env python3
"""Puts what ctl.top captured into docs/qdiscsimctl.md. usage: pictures.py build/release/tests/ctl"""

import pathlib
import re
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "qdiscsimctl.md"


def main(folder):
    text = PAGE.read_text()
    for size in ("80x24", "200x50"):
        picture = (pathlib.Path(folder) / f"top-{size}.txt").read_text().rstrip("\n")
        indented = "\n".join(f"    {line}".rstrip() for line in picture.splitlines())
        text, found = re.subn(rf"(<!-- top {size} -->\n\n).*?(\n\n<!-- end -->)",
                              lambda match, body=indented: match[1] + body + match[2], text,
                              flags=re.DOTALL)
        if found != 1:
            sys.exit(f"{PAGE}: no place for {size}: the lines <!-- top {size} --> and <!-- end -->")
    PAGE.write_text(text)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
