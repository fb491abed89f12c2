// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL

// Sendable: OpenSSL's store has a lock, and nothing is added after initialization.
/// The trust anchors, roots or not (S15); custom anchors replace the system's (S24).
///
/// Immutable and thread-safe.
@safe public final class TrustAnchors: @unchecked Sendable {
    let store: OpaquePointer
    /// Whether they are the system's anchors.
    public let areSystem: Bool

    private init(areSystem: Bool) throws(TrustError) {
        guard let store = unsafe reachd_tls_store_create() else {
            throw TrustError(.outOfMemory, "out of memory while loading the trusted certificates")
        }
        unsafe self.store = unsafe store
        self.areSystem = areSystem
    }

    deinit {
        unsafe reachd_tls_store_free(store)
    }

    /// Returns the system's anchors: its CA file and directories, or those in `SSL_CERT_FILE` and `SSL_CERT_DIR`. May
    /// be empty. Takes 20 ms with Debian's CAs; keep the result.
    public static func system() throws(TrustError) -> TrustAnchors {
        let anchors = try TrustAnchors(areSystem: true)
        unsafe reachd_tls_store_add_system(anchors.store)
        return anchors
    }

    /// Creates anchors from certificate files.
    ///
    /// - Parameter files: Their paths; each PEM of any number (OpenSSL's trust settings apply), or the DER of one.
    /// - Throws: ``TrustError`` when a file cannot be read, or is not a certificate.
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
                guard count != 0 else { throw TrustError(.noCertificate, "\(file) contains no certificate") }
                guard count > 0 else {
                    throw TrustError(.malformedCertificate, "\(file) is not a valid certificate file")
                }
            }
        }
    }

    /// Creates anchors from a list of certificates.
    ///
    /// - Throws: ``TrustError`` when out of memory.
    public convenience init(_ chain: CertificateChain) throws(TrustError) {
        try self.init(areSystem: false)
        try add(chain)
    }

    /// Creates anchors from pins (S11); nil when no pin is a certificate.
    convenience init?(_ pins: PinSet) throws(TrustError) {
        let certificates = Array(pins.certificates)
        guard !certificates.isEmpty else { return nil }
        try self.init(CertificateChain(reading: certificates))
    }

    private func add(_ chain: CertificateChain) throws(TrustError) {
        guard unsafe reachd_tls_store_add_chain(store, chain.certificates) != 0 else {
            throw TrustError(.outOfMemory, "out of memory while loading the trusted certificates")
        }
    }

    /// The paths of the system's anchors, from the environment or the defaults: a file, and one or more directories.
    public static var systemPlaces: [String] {
        let file = unsafe String(cString: reachd_tls_system_file())
        let directories = unsafe String(cString: reachd_tls_system_directories())
        return [file] + directories.split(separator: ":").map(String.init)
    }
}
