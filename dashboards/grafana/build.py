#!/usr/bin/env python3
"""Writes the dashboards, from source/, to provisioning/dashboards/qdiscsim. Change the source, run
this, commit both. `build.py --check` writes nothing and fails when a file is not what it would write.
"""

import importlib
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
PLACE = HERE / "provisioning" / "dashboards" / "qdiscsim"
NAMES = ("overview", "bands", "page_pool", "generators", "fleet")


def texts():
    """The file of each dashboard, as {path: text}."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(HERE / "source"))
    return {PLACE / f"{name}.json":
            json.dumps(importlib.import_module(name).DASHBOARD, indent=1, ensure_ascii=False) + "\n"
            for name in NAMES}


def main():
    wanted = texts()
    if sys.argv[1:] == ["--check"]:
        found = {path: path.read_text() for path in PLACE.glob("*.json")}
        wrong = sorted(path.name for path in wanted.keys() | found.keys()
                       if wanted.get(path) != found.get(path))
        if wrong:
            sys.exit(f"not what dashboards/grafana/build.py writes: {', '.join(wrong)}; run it")
        return
    PLACE.mkdir(parents=True, exist_ok=True)
    for path, text in wanted.items():
        path.write_text(text)
        print(f"wrote {path.relative_to(HERE)}")


if __name__ == "__main__":
    main()
