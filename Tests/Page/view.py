# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""What the page shows, as expressions for the browser."""


def row(id):
    """The row of a target."""
    return f"[...document.querySelectorAll('.row')].find((row) => row.querySelector('a.name').getAttribute('href') === '#{id}')"


def seen(id):
    """The state of a target as the list shows it; null when it is absent or hidden."""
    return f"(() => {{ const row = {row(id)}; return row && !row.hidden ? row.querySelector('.word').textContent : null; }})()"


def votes(id):
    """The marks of a target's votes as screen readers read them, one a line."""
    return f"(() => {{ const row = {row(id)}; return row ? [...row.querySelectorAll('.vote')].map((vote) => vote.getAttribute('aria-label')).join('\\n') : null; }})()"


def said(selector):
    """The visible text of an element; empty without it."""
    return f"(document.querySelector('{selector}')?.innerText ?? '')"


def order(group):
    """The ids of a group's targets in the order of their rows."""
    section = f"[...document.querySelectorAll('.group')].find((one) => one.querySelector('h3 span').textContent === '{group}')"
    return f"[...{section}.querySelectorAll('a.name')].map((link) => link.getAttribute('href').slice(1))"
