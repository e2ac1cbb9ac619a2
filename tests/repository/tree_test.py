#!/usr/bin/env python3
"""What must be true of the source tree as text: the include direction, words that do not belong in
a public repository, and the length of files. Run it alone: python3 tests/repository/tree_test.py
"""

import pathlib
import re
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Room -> the rooms whose headers it may include, beside its own.
MAY_INCLUDE = {
    "base": set(),
    "text": {"base"},
    "ring": {"base"},
    "pagepool": {"base", "ring"},
    "qdisc": {"base", "ring"},
    "pktgen": {"base", "ring", "pagepool", "qdisc"},
    "config": {"base"},
    "pktgenfs": {"base", "ring", "pagepool", "qdisc", "pktgen"},
    "daemon": {"base", "ring", "pagepool", "qdisc", "pktgen", "pktgenfs", "config",
               "text"},
    "ctl": {"base", "text"},
}
# These may include every room, and no room may include them.
OUTSIDE = {"tests", "bench"}
# Libraries that only these rooms may know: the model needs nothing but the standard library.
LIBRARIES_OF = {
    "text": {"fmt"},
    "ctl": {"boost", "fmt", "nlohmann", "CLI", "yaml-cpp"},
    "config": {"yaml-cpp"},
    "daemon": {"boost", "prometheus", "spdlog", "fmt", "nlohmann", "CLI", "yaml-cpp",
               "fuse3", "pcap"},
}

WARN_LINES = 250
MOST_LINES = 400

# Spelled in pieces, so that this file passes its own check.
FORBIDDEN = [
    ("a path of somebody's machine", re.compile(r"/(work|home|root)" + r"/\w")),
    ("an unfinished thought: file it or do it",
     re.compile(r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X)\b")),
    ("a conflict marker", re.compile(r"^(<{7}|>{7})" + r" ", re.MULTILINE)),
]
TEXT_SUFFIXES = {".cc", ".h", ".cmake", ".md", ".py", ".sh", ".txt", ".yml", ".yaml", ".json",
                 ".service", ".html", ".js", ".css", ".in", ""}
CODE_SUFFIXES = {".cc", ".h", ".py", ".sh", ".cmake"}


def files(root, suffixes):
    """Every file of ours below root with one of the suffixes: neither built nor version control."""
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root).parts
        if inside[0] in {"build", ".git", ".cache"} or "__pycache__" in inside:
            continue
        if path.is_file() and path.suffix in suffixes:
            yield path


def lines_with_includes(path):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if match:
            yield number, match[1], match[2]


def include_mistakes(root):
    """Every include that points the wrong way, as 'file:line: why'."""
    mistakes = []
    for path in files(root, {".cc", ".h"}):
        name = path.relative_to(root)
        room = name.parts[0]
        for number, quote, included in lines_with_includes(path):
            target = included.split("/")[0]
            where = f"{name}:{number}: {room} must not include {included}"
            if target in OUTSIDE and room not in OUTSIDE:
                mistakes.append(where)
            elif target in MAY_INCLUDE and room in MAY_INCLUDE:
                if target != room and target not in MAY_INCLUDE[room]:
                    mistakes.append(where)
            elif quote == '"' and room in MAY_INCLUDE and not (root / included).exists():
                if not (root / f"{included}.in").exists():
                    mistakes.append(f"{where}: name it from the top folder")
            elif quote == "<" and room in MAY_INCLUDE and target != included:
                known = LIBRARIES_OF.get(room, set()) | {"sys", "netinet", "arpa", "net", "linux"}
                if target not in known:
                    mistakes.append(f"{where}: that library is not for this room")
    return mistakes


def header_mistakes(root):
    """Headers that may be included twice, and source files that do not start with their header."""
    mistakes = [f"{path.relative_to(root)}: no #pragma once" for path in files(root, {".h"})
                if "#pragma once\n" not in path.read_text()]
    for path in files(root, {".cc"}):
        name = path.relative_to(root)
        own = str(name.with_suffix(".h"))
        if name.parts[0] in MAY_INCLUDE and (root / own).exists():
            first = next(lines_with_includes(path), (1, '"', "nothing"))
            if first[1:] != ('"', own):
                mistakes.append(f"{name}:{first[0]}: {own} must be included first, not {first[2]}")
    return mistakes


def word_mistakes(root):
    """Every forbidden word, as 'file:line: what it is'."""
    mistakes = []
    for path in files(root, TEXT_SUFFIXES):
        text = path.read_text(errors="replace")
        for what, pattern in FORBIDDEN:
            for match in pattern.finditer(text):
                number = text.count("\n", 0, match.start()) + 1
                mistakes.append(f"{path.relative_to(root)}:{number}: {match[0]!r}: {what}")
    return mistakes


def dead_references(root):
    """Every mention of a Markdown file that is not there, as 'file:line: name'."""
    mistakes = []
    for path in files(root, TEXT_SUFFIXES - {".json"}):
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            for name in re.findall(r"(?<![\w/.*-])(?:\.\./)*\w[\w./-]*\.md\b", line):
                places = (root, path.parent, root / "docs")
                if not any((place / name).exists() for place in places):
                    mistakes.append(f"{path.relative_to(root)}:{number}: {name}")
    return mistakes


def lengths(root):
    return {str(path.relative_to(root)): len(path.read_text().splitlines())
            for path in files(root, CODE_SUFFIXES)}


class TheTree(unittest.TestCase):
    maxDiff = None

    def test_includes_point_one_way(self):
        self.assertEqual(include_mistakes(ROOT), [])

    def test_has_headers_that_stand_alone(self):
        self.assertEqual(header_mistakes(ROOT), [])

    def test_has_no_word_that_does_not_belong_here(self):
        self.assertEqual(word_mistakes(ROOT), [])

    def test_mentions_no_document_that_is_not_there(self):
        self.assertEqual(dead_references(ROOT), [])

    def test_has_no_file_that_nobody_reads_to_the_end(self):
        for name, count in lengths(ROOT).items():
            if WARN_LINES < count <= MOST_LINES:
                print(f"warning: {name} has {count} lines, the guideline is {WARN_LINES}")
        too_long = {name: count for name, count in lengths(ROOT).items() if count > MOST_LINES}
        self.assertEqual(too_long, {})


class TheChecks(unittest.TestCase):
    """A check that finds nothing must be known to find something."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def test_find_an_include_against_the_direction(self):
        self.write("base/a.h", "")
        self.write("ring/r.h", '#include "base/a.h"\n')
        self.write("qdisc/q.h", '#include "ring/r.h"\n')
        self.write("pagepool/p.h", '#include "ring/r.h"\n')
        self.write("tests/qdisc/q_test.cc", '#include "qdisc/q.h"\n#include "pagepool/p.h"\n')
        self.assertEqual(include_mistakes(self.root), [])
        self.write("base/a.h", '// first line\n#include "ring/r.h"\n')
        self.assertEqual(include_mistakes(self.root),
                         ["base/a.h:2: base must not include ring/r.h"])

    def test_find_that_pagepool_and_qdisc_know_each_other(self):
        self.write("qdisc/q.h", '#  include "pagepool/p.h"\n')
        self.write("pagepool/p.h", '#include <qdisc/q.h>\n')
        self.assertEqual(include_mistakes(self.root),
                         ["pagepool/p.h:1: pagepool must not include qdisc/q.h",
                          "qdisc/q.h:1: qdisc must not include pagepool/p.h"])

    def test_find_a_library_in_a_room_that_models(self):
        self.write("daemon/http.cc", "#include <boost/beast.hpp>\n#include <sys/stat.h>\n")
        self.assertEqual(include_mistakes(self.root), [])
        self.write("ring/r.h", "#include <boost/lockfree/queue.hpp>\n#include <vector>\n")
        self.assertEqual(
            include_mistakes(self.root),
            ["ring/r.h:1: ring must not include boost/lockfree/queue.hpp: "
             "that library is not for this room"])

    def test_find_an_include_that_is_not_named_from_the_top(self):
        self.write("ring/a.h", "")
        self.write("ring/b.h", '#include "a.h"\n')
        self.assertEqual(include_mistakes(self.root),
                         ["ring/b.h:1: ring must not include a.h: name it from the top folder"])

    def test_find_a_header_that_leans_on_others(self):
        self.write("config/a.h", "#pragma once\n")
        self.write("config/a.cc", '#include "config/a.h"\n#include <vector>\n')
        self.write("config/main.cc", "#include <vector>\n")
        self.assertEqual(header_mistakes(self.root), [])
        self.write("config/b.h", "int twice;\n")
        self.write("config/b.cc", '#include <vector>\n#include "config/b.h"\n')
        self.assertEqual(header_mistakes(self.root),
                         ["config/b.h: no #pragma once",
                          "config/b.cc:1: config/b.h must be included first, not vector"])

    def test_find_the_words(self):
        self.write("docs/a.txt", "fine\n" + "/wo" + "rk/main is\n")
        self.write("ring/a.h", "// TO" + "DO later\n")
        self.write("build/b.h", "// TO" + "DO built\n")
        found = word_mistakes(self.root)
        self.assertEqual([line.split(" ")[0] for line in found], ["docs/a.txt:2:", "ring/a.h:1:"])

    def test_find_a_reference_to_nothing(self):
        self.write("docs/there" + ".md", "")
        self.write("ring/a.h",
                   "// see docs/there" + ".md and there" + ".md\n// see gone" + ".md.\n")
        self.assertEqual(dead_references(self.root), ["ring/a.h:2: gone" + ".md"])

    def test_count_lines(self):
        self.write("ring/a.h", "//\n" * 401)
        self.assertEqual(lengths(self.root), {"ring/a.h": 401})


if __name__ == "__main__":
    unittest.main()
