"""Runs Python scripts, each in a process of its own that has TensorFlow imported already.

Prints "port N" and takes connections there: each sends one line of JSON, {"script": path, "args": [...], "env": {...}}, and
gets "pid N", what the script prints, and "exit N" at its end. TensorFlow is forked before anything of it runs.
"""

import ctypes
import json
import os
import runpy
import signal
import socket
import sys
import traceback

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import tensorflow.compat.v1  # noqa: E402, F401

PR_SET_PDEATHSIG = 1


def run(connection):
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    request = json.loads(connection.makefile().readline())
    sys.stdout.flush()
    os.dup2(connection.fileno(), 1)
    print("pid", os.getpid(), flush=True)
    os.environ.update(request["env"])
    sys.argv = [request["script"], *request["args"]]
    code = 0
    try:
        runpy.run_path(request["script"], run_name="__main__")
    except SystemExit as exit:
        code = exit.code or 0
    except BaseException:
        traceback.print_exc(file=sys.stdout)
        code = 1
    print("exit", code, flush=True)
    # What a stock server leaves running does not end by itself.
    os._exit(0)


signal.signal(signal.SIGCHLD, signal.SIG_IGN)
listener = socket.create_server(("127.0.0.1", 0), backlog=64)
print("port", listener.getsockname()[1], flush=True)
while True:
    accepted, _ = listener.accept()
    if os.fork() == 0:
        listener.close()
        run(accepted)
    accepted.close()
