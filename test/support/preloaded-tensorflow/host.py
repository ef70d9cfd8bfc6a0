"""`python host.py SOCKET`: imports TensorFlow once and runs each script that `client.py` brings in a fork of this process.

A connection carries one run: a JSON object (arguments, environment, folder) with the client's stdin, stdout and stderr as
file descriptors; then signal numbers from the client; last its wait status from here. A connection that closes kills its
run. Ends with its standard input, and kills what still runs.
"""
import ctypes
import io
import json
import os
import runpy
import selectors
import signal
import socket
import sys
import tempfile
import types

PR_SET_PDEATHSIG = 1
MAX_REQUEST_BYTES = 1 << 20


def receive(connection):
    """The request of a new connection and its three file descriptors; None if the client has gone."""
    message, descriptors, _, _ = socket.recv_fds(connection, MAX_REQUEST_BYTES, 3)
    while message and not message.endswith(b"\n"):
        more = connection.recv(MAX_REQUEST_BYTES)
        if not more:
            message = b""
        message += more
    if not message or len(descriptors) != 3:
        for descriptor in descriptors:
            os.close(descriptor)
        return None
    return json.loads(message), descriptors


def serve(listener):
    """Forks for each request. Returns, in the fork only, the request that it is to run."""
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ, ("accept", None))
    selector.register(0, selectors.EVENT_READ, ("end", None))
    runs = {}

    def forget(connection):
        pid, pidfd = runs.pop(connection)
        selector.unregister(connection)
        selector.unregister(pidfd)
        os.close(pidfd)
        connection.close()

    while True:
        for key, _ in selector.select():
            what, connection = key.data
            if what == "end":
                for pid, _ in runs.values():
                    os.kill(pid, signal.SIGKILL)
                sys.exit(0)
            elif what == "accept":
                connection, _ = listener.accept()
                request = receive(connection)
                if request is None:
                    connection.close()
                    continue
                import tensorflow  # noqa: F401  once, when the first run asks for it

                pid = os.fork()
                if pid == 0:
                    for other, (_, pidfd) in runs.items():
                        other.close()
                        os.close(pidfd)
                    connection.close()
                    listener.close()
                    selector.close()
                    return request
                for descriptor in request[1]:
                    os.close(descriptor)
                pidfd = os.pidfd_open(pid)
                runs[connection] = (pid, pidfd)
                selector.register(connection, selectors.EVENT_READ, ("signal", connection))
                selector.register(pidfd, selectors.EVENT_READ, ("exit", connection))
            elif connection not in runs:
                continue  # Ended by an earlier event of the same round.
            elif what == "signal":
                sent = connection.recv(64)
                for number in sent or [signal.SIGKILL]:
                    os.kill(runs[connection][0], number)
                if not sent:
                    os.waitpid(runs[connection][0], 0)
                    forget(connection)
            else:
                _, status = os.waitpid(runs[connection][0], 0)
                try:
                    connection.sendall(b"%d" % status)
                except OSError:
                    pass  # The client was killed in this moment.
                forget(connection)


def become(request, descriptors):
    """Makes this fork what the command line of the client would have started."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    for standard, descriptor in enumerate(descriptors):
        os.dup2(descriptor, standard)
        os.close(descriptor)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), encoding="utf-8")
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    # TensorFlow's import has asked for the temporary folder, which is remembered.
    tempfile.tempdir = None
    import numpy

    numpy.random.seed()


def run(arguments):
    """Runs `-c CODE ...` or `SCRIPT ...`, as Python does."""
    if arguments[0] == "-c":
        sys.argv = ["-c", *arguments[2:]]
        sys.path[0] = ""
        module = types.ModuleType("__main__")
        module.__builtins__ = __builtins__
        sys.modules["__main__"] = module
        exec(compile(arguments[1], "<string>", "exec"), module.__dict__)
    else:
        sys.argv = arguments
        script = os.path.abspath(arguments[0])
        if os.path.isdir(script):
            # run_path puts the folder itself in front of the path.
            del sys.path[0]
        else:
            sys.path[0] = os.path.dirname(script)
        runpy.run_path(arguments[0], run_name="__main__")


def main():
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[1])
    listener.listen(64)
    request, descriptors = serve(listener)
    become(request, descriptors)
    run(request["arguments"])


main()
