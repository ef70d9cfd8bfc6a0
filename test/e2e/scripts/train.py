"""A training script without TensorFlow: prints its loss, writes event files, and fails where it is told to."""

import json
import os
import pathlib
import socket
import struct
import sys
import time

CONFIG = json.loads(os.environ["TF_CONFIG"]) if "TF_CONFIG" in os.environ else {}
TASK = CONFIG.get("task", {"type": "worker", "index": 0})


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def write_loss(file, step, loss):
    """An Event whose Summary has one simple value, as a TFRecord."""
    value = b"\x0a\x04loss\x15" + struct.pack("<f", loss)
    summary = b"\x0a" + bytes([len(value)]) + value
    event = b"\x09" + struct.pack("<d", time.time()) + b"\x10" + bytes([step])
    event += b"\x2a" + bytes([len(summary)]) + summary
    length = struct.pack("<Q", len(event))
    file.write(length + crc32c(length) + event + crc32c(event))
    file.flush()


print("Epoch 1/2")
if TASK == {"type": "worker", "index": 0}:
    folder = pathlib.Path("logs")
    folder.mkdir(exist_ok=True)
    with open(folder / f"events.out.tfevents.{time.time_ns()}.{socket.gethostname()}", "wb") as events:
        for step in range(1, 6):
            write_loss(events, step, 1 / step)
            print(f"step {step} loss {1 / step:.4f}")
print("Epoch 2/2")
if "--fail" in sys.argv and TASK == {"type": "worker", "index": 1}:
    raise ValueError("the loss is not a number")
if "--wait" in sys.argv:
    print("waiting", " ".join(sys.argv[1:]))
    time.sleep(600)
