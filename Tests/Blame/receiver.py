# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""A webhook that keeps every message."""
import http.server
import json
import threading


class Receiver:
    def __init__(self, port):
        self.received = []
        self.lock = threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(handler):
                body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
                with self.lock:
                    # A repeated message has the same id.
                    if body["id"] not in [message["id"] for message in self.received]:
                        self.received.append(body)
                try:
                    handler.send_response(204)
                    handler.end_headers()
                except OSError:
                    # reachd was killed.
                    handler.close_connection = True

            def log_message(handler, *words):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.server.handle_error = lambda *words: None
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def messages(self):
        """All messages in the order of their arrival."""
        with self.lock:
            return list(self.received)
