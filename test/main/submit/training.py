"""Behaves like a training script, without TensorFlow: prints, waits for its peer, fails, and writes a checkpoint."""

import json
import os
import pathlib
import signal
import sys
import time

config = json.loads(os.environ["TF_CONFIG"]) if "TF_CONFIG" in os.environ else None  # one task has none
task = config["task"] if config else {"type": "worker", "index": 0}
checkpoint = pathlib.Path("checkpoint.txt")
waited = pathlib.Path("waited")
print("Epoch 1/2", "from step", checkpoint.read_text() if checkpoint.exists() else 0)
if "--fail" in sys.argv and task["index"] == 1 and not pathlib.Path("failed").exists():
    pathlib.Path("failed").touch()
    checkpoint.write_text("40")
    # Otherwise the other one may be ended before it has begun to wait, and then waits at its second start.
    while "--wait-for-end" in sys.argv and not waited.exists():
        time.sleep(0.01)
    raise ValueError("the loss is not a number")
if "--wait" in sys.argv:
    print("waiting in", os.getpid())
    signal.pause()
# The first start of the one that does not fail.
if "--wait-for-end" in sys.argv and task["index"] == 0 and not waited.exists():
    waited.touch()
    time.sleep(600)
print("Epoch 2/2")
print("CUDA", os.environ.get("CUDA_VISIBLE_DEVICES"))
