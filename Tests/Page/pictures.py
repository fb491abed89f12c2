# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""The pictures of docs/pictures."""


def take(browser, binary, folder, secure, output):
    raise SystemExit("later")
