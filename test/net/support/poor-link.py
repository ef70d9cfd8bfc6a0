"""Passes packets between two interfaces, losing some and delaying the rest: a bad cable for tests.

Usage: poor-link.py INTERFACE INTERFACE LOSS_PERCENT DELAY_MILLIS
"""
import heapq
import itertools
import random
import select
import socket
import sys
import time

SOL_PACKET = 263
# Each packet comes with a virtio header that says which checksums and segments are still to be made, and goes with it.
PACKET_VNET_HDR = 15
ETH_P_ALL = 3
PACKET_OUTGOING = 4
LARGEST = 10 + 14 + 65536


def opened(interface):
    end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    end.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
    end.bind((interface, 0))
    end.setblocking(False)
    return end


def main():
    one, other = opened(sys.argv[1]), opened(sys.argv[2])
    loss, delay = float(sys.argv[3]) / 100, float(sys.argv[4]) / 1000
    opposite = {one: other, other: one}
    waiting, order = [], itertools.count()
    print("ready", flush=True)
    while True:
        patience = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
        for end in select.select([one, other], [], [], patience)[0]:
            try:
                packet, sender = end.recvfrom(LARGEST)
            except OSError:
                continue
            if sender[2] == PACKET_OUTGOING or random.random() < loss:
                continue
            heapq.heappush(waiting, (time.monotonic() + delay, next(order), opposite[end], packet))
        while waiting and waiting[0][0] <= time.monotonic():
            _, _, end, packet = heapq.heappop(waiting)
            try:
                end.send(packet)
            except OSError:
                pass  # The interface is down or its queue is full: packets are lost then, too.


main()
