"""Stands for the Python with TensorFlow: has the running host.py run a script, or starts the real Python where that would
not be the same (other options, another network namespace, other variables that TensorFlow reads when it is imported).

The first line and the constants are written by preloaded-tensorflow.ts.
"""
import json
import os
import signal
import socket
import sys

def relevant(environment):
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(tuple(IMPORTED_WITH)) and name not in OTHERWISE  # noqa: F821
    }


def connected(arguments):
    """A connection to the host, or None if the real Python must run these arguments."""
    same = (
        arguments
        and (arguments[0] == "-c" or not arguments[0].startswith("-"))
        and os.readlink("/proc/self/ns/net") == NETWORK  # noqa: F821
        and relevant(os.environ) == ENVIRONMENT  # noqa: F821
    )
    if not same:
        return None
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(SOCKET)  # noqa: F821
    except OSError:
        return None
    return connection


def main():
    arguments = sys.argv[1:]
    connection = connected(arguments)
    if connection is None:
        os.execv(PYTHON, [PYTHON, *arguments])  # noqa: F821
    request = {"arguments": arguments, "environment": dict(os.environ), "folder": os.getcwd()}
    line = json.dumps(request).encode() + b"\n"
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
        signal.signal(number, lambda caught, _: connection.send(bytes([caught])))
    sent = socket.send_fds(connection, [line], [0, 1, 2])
    connection.sendall(line[sent:])
    # The run alone keeps the streams open.
    for standard in range(3):
        os.close(standard)
    status = connection.recv(64)
    if not status:
        os._exit(70)
    code = os.waitstatus_to_exitcode(int(status))
    if code < 0:
        if -code != signal.SIGKILL:
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


main()
