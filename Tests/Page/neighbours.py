# SPDX-License-Identifier: Apache-2.0
# Copyright (c) 2026 the reachd authors
"""Servers for the tests of the page."""
import os
import random
import socket
import ssl
import subprocess
import sys
import threading
import time


class Secure:
    """TLS with an untrusted chain: page.test, signed by a private authority. The pictures call it shop.example.org."""

    def __init__(self, folder):
        def openssl(*words):
            subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=folder)

        with open(os.path.join(folder, "leaf.ext"), "w") as file:
            file.write("subjectAltName=DNS:page.test,DNS:shop.example.org\nextendedKeyUsage=serverAuth\n")
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "ca.key", "-out", "ca.pem",
                "-days", "900", "-subj", "/O=Example Works/CN=Example Works Root")
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "leaf.key", "-out", "leaf.csr", "-subj", "/CN=shop.example.org")
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


class Doorkeeper:
    """A proxy that sets a cookie with the page, and requires it for all other requests."""

    def __init__(self, port):
        self.target, self.socket = port, socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                client, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.one, args=(client,), daemon=True).start()

    def one(self, client):
        with client:
            try:
                head = b""
                while b"\r\n\r\n" not in head:
                    if not (bytes := client.recv(65536)):
                        return
                    head += bytes
                line, fields = head.split(b"\r\n", 1)
                isPage = line.split()[1].split(b"?")[0] == b"/"
                if not isPage and b"\r\ncookie: known=yes" not in head.lower():
                    return client.sendall(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                with socket.create_connection(("127.0.0.1", self.target)) as server:
                    # One request for each connection.
                    fields = fields.replace(b"Connection: keep-alive\r\n", b"")
                    server.sendall(line + b"\r\nConnection: close\r\n" + fields)
                    isFirst = isPage
                    while bytes := server.recv(65536):
                        if isFirst:
                            bytes = bytes.replace(b"\r\n", b"\r\nSet-Cookie: known=yes; HttpOnly\r\n", 1)
                        isFirst = False
                        client.sendall(bytes)
            except OSError:
                pass

    def close(self):
        self.socket.close()


class Silent:
    """Accepts connections at a port, reads from them, and sends nothing."""

    def __init__(self, port):
        self.socket, self.clients, self.isAsked = socket.create_server(("127.0.0.1", port), backlog=64), [], threading.Event()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                self.clients.append(self.socket.accept()[0])
            except OSError:
                return
            self.isAsked.set()

    def leave(self):
        """Releases the port; the connections stay open."""
        if self.socket.fileno() >= 0:
            self.socket.shutdown(socket.SHUT_RDWR)
            self.socket.close()

    def close(self):
        self.leave()
        for client in self.clients:
            client.close()


def answer(stream, delay):
    """Responds to any request with a page."""
    stream.settimeout(5)
    if request := stream.recv(4096):
        time.sleep(0.075 if b"/checkout" in request else delay())
        stream.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 12\r\nConnection: close\r\n\r\n<p>Welcome\r\n")


def serve(port, body):
    def one(client):
        try:
            body(client)
        except OSError:
            pass
        finally:
            client.close()

    def all():
        listener = socket.create_server(("0.0.0.0", port), backlog=64)
        while True:
            client, _ = listener.accept()
            threading.Thread(target=one, args=(client,), daemon=True).start()

    threading.Thread(target=all, daemon=True).start()


def main(folder):
    """For the pictures: a web server, with TLS as well, and ports that accept connections."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.path.join(folder, "leaf.pem"), os.path.join(folder, "leaf.key"))
    serve(80, lambda client: answer(client, lambda: random.uniform(0.015, 0.03)))
    serve(443, lambda client: answer(context.wrap_socket(client, server_side=True), lambda: random.uniform(0.015, 0.03)))
    for port in (445, 5432, 6379, 8443):
        serve(port, lambda client: None)
    threading.Event().wait()


if __name__ == "__main__":
    main(sys.argv[1])
