# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""A webhook that keeps every message."""
import http.server
import json
import random
import threading
import time


class Hook:
    """Answers each request after a moment, so that a kill finds some on their way."""

    def __init__(self, port, seed, delay=0.05, address="127.0.0.1"):
        self.requests = []
        self.lock = threading.Lock()
        spread = random.Random(seed)

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(handler):
                body = handler.rfile.read(int(handler.headers["Content-Length"]))
                with self.lock:
                    self.requests.append((handler.headers["Reachd-Id"], body))
                    wait = spread.uniform(0, delay)
                time.sleep(wait)
                try:
                    handler.send_response(204)
                    handler.end_headers()
                except OSError:
                    # The node was killed.
                    handler.close_connection = True

            def log_message(handler, *words):
                pass

        self.server = http.server.ThreadingHTTPServer((address, port), Handler)
        self.server.handle_error = lambda *words: None
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def messages(self):
        """The ids and bodies, in the order of their arrival."""
        with self.lock:
            return list(self.requests)

    def statuses(self, target):
        """What was sent about a target: the status, and the location that alone saw it so."""
        bodies = [json.loads(body) for _, body in self.messages()]
        return [(body["status"], body.get("seen_from")) for body in bodies if body.get("target") == target]

    def close(self):
        self.server.shutdown()
        self.server.server_close()
