"""The other end of tunnel_client.py's raw connections. Usage: tunnel_sink.py PORT. Prints "listening"."""

import socket
import sys
import threading


def serve(connection):
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    kind = connection.recv(1)
    buffer = bytearray(1 << 20)
    count = 0
    while read := connection.recv_into(buffer):
        count += read
        if kind == b"E":
            connection.sendall(buffer[:read])
    if kind == b"S":
        connection.sendall(count.to_bytes(8, "big"))
    connection.close()


server = socket.create_server(("0.0.0.0", int(sys.argv[1])))
print("listening", flush=True)
while True:
    threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
