#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Prints the events of reachd, one a line: ID TYPE DATA. Goes on where it was after every break.

    events.py [URL [LAST-EVENT-ID]]
"""
import http.client
import sys
import time
import urllib.request

url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:7532/events"
last = sys.argv[2] if len(sys.argv) > 2 else ""
pause = 3.0

while True:
    headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": last} if last else {})
    number, kind, data = last, "message", []
    try:
        # A stream that says nothing sends a comment every 15 seconds: 45 without one, and it is broken.
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=45) as stream:
            for line in stream:
                name, _, value = line.decode().rstrip("\r\n").partition(":")
                value = value.removeprefix(" ")
                if line in (b"\n", b"\r\n"):
                    last = number
                    if data:
                        print(number, kind, "\n".join(data), flush=True)
                    kind, data = "message", []
                elif name == "id":
                    number = value
                elif name == "event":
                    kind = value
                elif name == "data":
                    data.append(value)
                elif name == "retry" and value.isdecimal():
                    pause = int(value) / 1000
    except (OSError, http.client.HTTPException) as error:
        print(f"{url}: {error}", file=sys.stderr)
    time.sleep(pause)
