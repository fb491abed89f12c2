// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL

// Sendable: a store has a lock of OpenSSL's, and nothing is added after the initializers.
/// The certificates that are trusted by themselves, be they roots or not (S15); with anchors of one's own the system's do
/// not count (S24).
///
/// It does not change, and may be used by several threads at once.
@safe public final class TrustAnchors: @unchecked Sendable {
    let store: OpaquePointer
    /// Whether they are the system's.
    public let areSystem: Bool

    private init(areSystem: Bool) throws(TrustError) {
        guard let store = unsafe reachd_tls_store_create() else {
            throw TrustError(.outOfMemory, "no memory for the trusted certificates")
        }
        unsafe self.store = unsafe store
        self.areSystem = areSystem
    }

    deinit {
        unsafe reachd_tls_store_free(store)
    }

    /// What the system trusts: its file and its directory of authorities, or those that `SSL_CERT_FILE` and
    /// `SSL_CERT_DIR` name. Nothing may be there. Takes 20 ms with Debian's authorities; keep it.
    public static func system() throws(TrustError) -> TrustAnchors {
        let anchors = try TrustAnchors(areSystem: true)
        unsafe reachd_tls_store_add_system(anchors.store)
        return anchors
    }

    /// The certificates of files.
    ///
    /// - Parameter files: Their paths; PEM of any number (OpenSSL's trust settings count), or the DER of one.
    /// - Throws: ``TrustError`` when a file cannot be read, or there is something else in it.
    public convenience init(files: [String]) throws(TrustError) {
        try self.init(areSystem: false)
        for file in files {
            let bytes = try TrustFile.read(file)
            if bytes.first == 0x30 {
                do throws(TrustError) {
                    try add(CertificateChain(reading: [bytes]))
                } catch {
                    throw TrustError(error.code, "\(file): \(error.message)")
                }
            } else {
                let count = unsafe reachd_tls_store_add(store, bytes, bytes.count)
                guard count != 0 else { throw TrustError(.noCertificate, "\(file) holds no certificate") }
                guard count > 0 else {
                    throw TrustError(.malformedCertificate, "\(file) holds something that is no certificate")
                }
            }
        }
    }

    /// The certificates of a list.
    ///
    /// - Throws: ``TrustError`` when there is no memory.
    public convenience init(_ chain: CertificateChain) throws(TrustError) {
        try self.init(areSystem: false)
        try add(chain)
    }

    /// The pins as anchors (S11); nil when none is a certificate.
    convenience init?(_ pins: PinSet) throws(TrustError) {
        let certificates = Array(pins.certificates)
        guard !certificates.isEmpty else { return nil }
        try self.init(CertificateChain(reading: certificates))
    }

    private func add(_ chain: CertificateChain) throws(TrustError) {
        guard unsafe reachd_tls_store_add_chain(store, chain.certificates) != 0 else {
            throw TrustError(.outOfMemory, "no memory for the trusted certificates")
        }
    }

    /// Where the system's are, as the environment says: a file, and one or more directories.
    public static var systemPlaces: [String] {
        let file = unsafe String(cString: reachd_tls_system_file())
        let directories = unsafe String(cString: reachd_tls_system_directories())
        return [file] + directories.split(separator: ":").map(String.init)
    }
}
