// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL
import LinuxIO

// Sendable: OpenSSL counts references atomically, and fills a certificate's caches under the certificate's lock.
/// A certificate chain as a server sends it: its own certificate first, then those that may lead to a CA, in any order.
///
/// Immutable and thread-safe.
@safe public final class CertificateChain: @unchecked Sendable {
    /// OpenSSL's list (`STACK_OF(X509) *`); valid for the lifetime of this object.
    package let certificates: OpaquePointer

    private init(owning certificates: OpaquePointer) {
        unsafe self.certificates = unsafe certificates
    }

    deinit {
        unsafe reachd_tls_chain_free(certificates)
    }

    /// Copies OpenSSL's list (`STACK_OF(X509) *`), retaining each certificate.
    ///
    /// - Parameter list: The list; it is only read, and may be freed afterwards.
    /// - Throws: ``TrustError`` with ``TrustError/Code/outOfMemory``.
    public convenience init(copying list: OpaquePointer) throws(TrustError) {
        guard let copy = unsafe reachd_tls_chain_copy(list) else { throw Self.noMemory }
        unsafe self.init(owning: copy)
    }

    /// Reads certificates.
    ///
    /// - Parameter contents: The inputs, in order: each the DER of one certificate, or PEM text of any number.
    /// - Throws: ``TrustError`` when there is no certificate, or an input is not a certificate.
    public convenience init(reading contents: [[UInt8]]) throws(TrustError) {
        guard let list = unsafe reachd_tls_chain_create() else { throw Self.noMemory }
        unsafe self.init(owning: list)
        for bytes in contents { try read(bytes) }
        guard count > 0 else { throw TrustError(.noCertificate, "no certificate found") }
    }

    /// Reads certificates from files.
    ///
    /// - Parameter files: Their paths, the server's own certificate first; PEM or DER, of at most 1 MiB.
    /// - Throws: ``TrustError`` when a file cannot be read or is not a certificate.
    public convenience init(files: [String]) throws(TrustError) {
        guard let list = unsafe reachd_tls_chain_create() else { throw Self.noMemory }
        unsafe self.init(owning: list)
        for file in files {
            // Errors of the file itself already contain its path.
            let bytes = try TrustFile.read(file)
            do throws(TrustError) {
                try read(bytes)
            } catch {
                throw TrustError(error.code, "\(file): \(error.message)")
            }
        }
        guard count > 0 else { throw TrustError(.noCertificate, "no certificate found") }
    }

    /// The number of certificates.
    public var count: Int { unsafe reachd_tls_chain_count(certificates) }

    /// The fields of the first ten certificates.
    public var descriptions: [Certificate] { unsafe CertificateReader.read(chain: certificates) }

    /// The DER of each certificate.
    public var encodings: [[UInt8]] {
        (0..<count).compactMap { index in
            guard let certificate = unsafe reachd_tls_chain_certificate(certificates, index) else { return nil }
            return unsafe CertificateReader.encoding(of: certificate)
        }
    }

    private func read(_ bytes: [UInt8]) throws(TrustError) {
        // DER begins with a SEQUENCE tag, and PEM text does not.
        guard bytes.first == 0x30 else {
            let added = unsafe reachd_tls_chain_add_pem(certificates, bytes, bytes.count)
            guard added != 0 else { throw TrustError(.noCertificate, "no certificate found") }
            guard added > 0 else { throw Self.malformed }
            return
        }
        guard unsafe reachd_tls_chain_add_der(certificates, bytes, bytes.count) != 0 else { throw Self.malformed }
    }

    private static let malformed = TrustError(.malformedCertificate, "the data is not a valid certificate")
    private static let noMemory = TrustError(.outOfMemory, "out of memory while reading certificates")
}

/// Reads certificate files.
package enum TrustFile {
    /// Larger than any CA bundle; Debian's is 220 KB.
    private static let limit = 1 << 20

    /// Returns the contents of a file.
    package static func read(_ path: String) throws(TrustError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileContents.read(path, limit: limit + 1)
        } catch {
            throw TrustError(.unreadable, error.description)
        }
        guard bytes.count <= limit else { throw TrustError(.tooLong, "\(path) is too large (limit: 1 MiB)") }
        return bytes
    }
}
