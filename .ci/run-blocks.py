"""Executes the Python blocks of a Markdown document, in order and in one namespace.

run-blocks.py DOCUMENT: an error shows the line of the document.
"""

import re
import sys

[path] = sys.argv[1:]
with open(path) as file:
    text = file.read()
blocks = list(re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
names = {"__name__": "__main__"}
for block in blocks:
    # Empty lines in front, so that a line has the same number as in the document.
    before = "\n" * text.count("\n", 0, block.start(1))
    exec(compile(before + block[1], path, "exec"), names)
print(f"{path}: {len(blocks)} blocks")
