// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import TestSupport

/// Certificates made for a test with openssl(1), in a folder of the test's own.
///
/// `ca` signed `middle`, and `middle` signed `leaf` (good.test, *.wild.test, 127.0.0.1, ::1; 300 days) and `strange`
/// (300 names, a subject with control characters). `ca` signed `client` (for clients only), and `own` signed itself.
final class TestCertificates: Sendable {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try Command.run(["sh", "-c", Self.script, "sh", folder.path])
    }

    /// The path of a certificate.
    subscript(_ name: String) -> String { folder.path(of: "\(name).pem") }

    /// The path of a certificate's key.
    func key(_ name: String) -> String { folder.path(of: "\(name).key") }

    /// Runs a command of the shell in the folder; returns what it prints.
    @discardableResult
    func shell(_ command: String) throws -> String {
        try Command.run(["sh", "-e", "-c", "cd \(folder.path)\n\(command)"])
    }

    private static let script = """
        set -e
        cd "$1"
        fresh() {
            openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -out "$1.csr" -subj "$2"
        }
        sign() {
            openssl x509 -req -in "$1.csr" -CA "$2.pem" -CAkey "$2.key" -days "$3" -out "$1.pem" -extfile /dev/stdin
        }
        self() {
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -out "$1.pem" -subj "$2" \
                -days "$3" -addext "$4"
        }
        self ca '/O=Test/CN=Root' 3000 'keyUsage=keyCertSign'
        self own '/CN=own' 300 'subjectAltName=DNS:good.test'
        fresh middle '/CN=Middle'
        echo 'basicConstraints=critical,CA:TRUE' | sign middle ca 1000
        fresh leaf '/CN=leaf'
        echo 'subjectAltName=DNS:good.test,DNS:*.wild.test,IP:127.0.0.1,IP:::1,URI:https://good.test/,email:me@good.test' |
            sign leaf middle 300
        fresh client '/CN=client'
        printf 'extendedKeyUsage=clientAuth\\nsubjectAltName=DNS:good.test' | sign client ca 300
        fresh strange "/CN=a$(printf '\\001\\033')b/O=$(printf '%060d' 0)"
        { echo 'subjectAltName=@names'; echo '[names]'; for i in $(seq 300); do echo "DNS.$i = host$i.good.test"; done; } |
            sign strange middle 300
        """
}
