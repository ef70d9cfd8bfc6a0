"""A training script as far as it can be one without TensorFlow: task 1 sends to task 0, by the addresses of TF_CONFIG."""
import json
import os
import pathlib
import platform
import socket

config = json.loads(os.environ["TF_CONFIG"])
index = config["task"]["index"]
host, port = config["cluster"]["worker"][0].rsplit(":", 1)
if index == 0:
    with socket.create_server((host, int(port))) as server:
        connection, _ = server.accept()
        received = connection.makefile().read()
    print("received", received, "on", platform.machine())
    pathlib.Path("Ergebnis für Zoë.txt").write_text(received)
else:
    while True:
        try:
            with socket.create_connection((host, int(port))) as connection:
                connection.sendall("Größe 7".encode())
            break
        except ConnectionRefusedError:
            pass  # It has not begun to listen.
