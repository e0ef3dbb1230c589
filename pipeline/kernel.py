"""Stands in for a kernel that `kernels` forks: passes on what it was started with, and signals,
and ends when the kernel does. It imports next to nothing, so that it starts in a hundredth of a
second.
"""

import json
import os
import signal
import socket
import sys

with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
    connection.connect(os.environ["KERNELS"])
    arguments = ["-f", *sys.argv[1:]]
    told = {"arguments": arguments, "environment": dict(os.environ), "folder": os.getcwd()}
    socket.send_fds(connection, [json.dumps(told).encode()], [1, 2])
    kernel = int(connection.recv(32))
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda number, _: os.kill(kernel, number))
    connection.recv(1)
