#!/usr/bin/env python3
"""Takes the pictures of the live page in docs/images from a real run: ./dev screenshots

usage: screenshots.py QDISCSIMD FOLDER
Runs config/examples/quickstart.yaml for a bit over a minute on a port of its own.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "prometheus"))
from lab import Program  # noqa: E402  pylint: disable=wrong-import-position
import chromium  # noqa: E402  pylint: disable=wrong-import-position

POINTS = 40  # that the charts have when the pictures are taken


def shrink(file):
    """To 256 colours, of which nobody sees the difference, where pngquant is installed."""
    if shutil.which("pngquant"):
        subprocess.run(["pngquant", "--force", "--strip", "--output", file, "256", file], check=True)


def main():
    qdiscsimd, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="qdiscsim-pictures-") as temporary:
        config = pathlib.Path(temporary) / "quickstart.yaml"
        text = (ROOT / "config" / "examples" / "quickstart.yaml").read_text()
        config.write_text(text.replace("127.0.0.1:9713", "127.0.0.1:0") + "control: {socket: none}\n")
        program = Program(qdiscsimd, config)
        try:
            address = program.find(r"http://(127\.0\.0\.1:\d+)")
            with chromium.Page(1280, 800) as page:
                page.prefer("light")
                page.open(f"http://{address}/")
                print(f"collecting {POINTS} seconds of figures", file=sys.stderr)
                chromium.SECONDS = 2 * POINTS + 60
                page.until(f"charts.rates.points.length >= {POINTS}")
                for width in (1280, 390):
                    page.resize(width, 800)
                    for scheme in ("light", "dark"):
                        page.prefer(scheme)
                        page.run("window.dispatchEvent(new Event('resize'))")
                        seen = page.run("+document.body.dataset.time")
                        page.until(f"+document.body.dataset.time > {seen} + 1")
                        file = folder / f"live-{scheme}-{width}.png"
                        page.picture(file)
                        shrink(file)
                        print(f"{file.name}: {file.stat().st_size // 1000} kB", file=sys.stderr)
        finally:
            program.stop()


if __name__ == "__main__":
    main()
