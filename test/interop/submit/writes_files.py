"""Writes a file, changes another one, and says where it ran and what it was given."""

import os
import pathlib
import sys

pathlib.Path("checkpoints").mkdir(exist_ok=True)
pathlib.Path("checkpoints/model.txt").write_text("weights 7")
pathlib.Path("notes.txt").write_text("changed")
print("folder", os.getcwd())
print("args", sys.argv[1:])
if "--fail" in sys.argv:
    import no_such_module
if "--wait" in sys.argv:
    print("waiting in", os.getpid())
    sys.stdin = open(os.devnull)
    import signal

    signal.pause()
