# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""A name server at 127.0.0.53 that resolves every name to 127.0.0.1, and an HTTPS server on port 8443.

servers.py FOLDER: with cert.pem and key.pem.
"""

import http.server
import socket
import ssl
import struct
import sys
import threading


def answer_names(server):
    while True:
        question, client = server.recvfrom(512)
        end = question.index(0, 12) + 5
        kind = struct.unpack("!H", question[end - 4 : end - 2])[0]
        answers = b""
        if kind == 1:
            answers = struct.pack("!HHHIH4s", 0xC00C, 1, 1, 60, 4, socket.inet_aton("127.0.0.1"))
        header = question[:2] + struct.pack("!HHHHH", 0x8180, 1, 1 if answers else 0, 0, 0)
        server.sendto(header + question[12:end] + answers, client)


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


names = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
names.bind(("127.0.0.53", 53))
threading.Thread(target=answer_names, args=(names,), daemon=True).start()
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(f"{sys.argv[1]}/cert.pem", f"{sys.argv[1]}/key.pem")
server = http.server.ThreadingHTTPServer(("127.0.0.1", 8443), Handler)
server.socket = context.wrap_socket(server.socket, server_side=True)
server.serve_forever()
