# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Accepts connections to a port of all addresses and closes them.

    listener.py PORT
"""
import socket
import sys


def main():
    server = socket.create_server(("::", int(sys.argv[1])), family=socket.AF_INET6, backlog=1024, dualstack_ipv6=True)
    while True:
        try:
            server.accept()[0].close()
        except OSError:
            # The client is gone.
            pass


if __name__ == "__main__":
    main()
