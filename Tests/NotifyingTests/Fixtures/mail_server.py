# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""A mail server (aiosmtpd) on 127.0.0.1 that prints each message as a line of JSON, as Python's parser reads it.

Arguments: MODE (starttls, tls or none), the certificate and its key, and `auth` if the user reachd must have the password s3cret.
The name of a recipient says what the server does: see `REPLIES`.
"""
import asyncio
import email
import email.policy
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult

REPLIES = {
    "later": "450 4.2.0 come again",
    "busy": "421 4.7.0 too many messages",
    "unknown": "550 5.1.1 no such user",
}
refused_once = set()


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        word = address.partition("@")[0]
        if word in REPLIES:
            return REPLIES[word]
        if word == "once" and word not in refused_once:
            refused_once.add(word)
            return REPLIES["later"]
        if word == "leave":
            server.transport.abort()
        if word == "silent":
            await asyncio.sleep(3600)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        raw = envelope.original_content
        message = email.message_from_bytes(raw, policy=email.policy.default)
        leaves = [part for part in message.walk() if not part.is_multipart()]
        parts = {part.get_content_type(): part.get_content().replace("\r\n", "\n") for part in leaves}
        print(
            json.dumps(
                {
                    "sender": envelope.mail_from,
                    "recipients": envelope.rcpt_tos,
                    "is_authenticated": bool(session.authenticated),
                    "is_secure": session.ssl is not None or server.transport.get_extra_info("ssl_object") is not None,
                    "longest_line": max(len(line) for line in raw.split(b"\r\n")),
                    "has_bare_line_ends": b"\n" in raw.replace(b"\r\n", b"") or b"\r" in raw.replace(b"\r\n", b""),
                    "is_ascii": raw.isascii(),
                    "names": [name.lower() for name in message.keys()],
                    "headers": {name.lower(): str(value) for name, value in message.items()},
                    "date": message["date"].datetime.isoformat(),
                    "defects": [str(defect) for part in message.walk() for defect in part.defects],
                    "type": message.get_content_type(),
                    "plain": parts.get("text/plain"),
                    "html": parts.get("text/html"),
                }
            ),
            flush=True,
        )
        word = envelope.rcpt_tos[0].partition("@")[0]
        return "554 5.7.1 not wanted" if word == "content" else "250 OK"


def authenticate(server, session, envelope, mechanism, data):
    # The server replies itself.
    return AuthResult(success=(data.login, data.password) == (b"reachd", b"s3cret"), handled=False)


async def main(mode, certificate, key, needs_user):
    context = None
    if mode != "none":
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate, key)

    def protocol():
        return SMTP(
            Handler(),
            tls_context=context if mode == "starttls" else None,
            require_starttls=mode == "starttls",
            authenticator=authenticate if needs_user else None,
            auth_required=needs_user,
            auth_require_tls=mode == "starttls",
        )

    loop = asyncio.get_running_loop()
    server = await loop.create_server(protocol, "127.0.0.1", 0, ssl=context if mode == "tls" else None)
    print(f"ready {server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


asyncio.run(main(*sys.argv[1:4], "auth" in sys.argv[4:]))
