# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Servers that are looked at."""
import os
import socket
import ssl
import subprocess
import threading


class Secure:
    """TLS with a chain of two certificates that nobody trusts: page.test, signed by an authority of its own."""

    def __init__(self, folder):
        def openssl(*words):
            subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=folder)

        with open(os.path.join(folder, "leaf.ext"), "w") as file:
            file.write("subjectAltName=DNS:page.test,DNS:www.page.test\nextendedKeyUsage=serverAuth\n")
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "ca.key", "-out", "ca.pem",
                "-days", "900", "-subj", "/O=Example Works/CN=Example Works Root")
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "leaf.key", "-out", "leaf.csr", "-subj", "/CN=page.test")
        openssl("x509", "-req", "-in", "leaf.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-days", "80", "-extfile", "leaf.ext", "-out", "leaf.pem")
        self.authority = os.path.join(folder, "ca.pem")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(os.path.join(folder, "leaf.pem"), os.path.join(folder, "leaf.key"))
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.serve, args=(context,), daemon=True).start()

    def serve(self, context):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            try:
                client.settimeout(5)
                with context.wrap_socket(client, server_side=True) as stream:
                    stream.recv(1)
            except OSError:
                pass

    def close(self):
        self.socket.close()
