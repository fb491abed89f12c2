// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL
import LinuxIO

// Sendable: OpenSSL counts references atomically, and what it works out about a certificate later is under its lock.
/// Certificates as a server sends them: its own first, then those that may lead to an authority, in any order.
///
/// It does not change, and may be used by several threads at once.
@safe public final class CertificateChain: @unchecked Sendable {
    /// OpenSSL's list (`STACK_OF(X509) *`); it lives as long as this object.
    package let certificates: OpaquePointer

    private init(owning certificates: OpaquePointer) {
        unsafe self.certificates = unsafe certificates
    }

    deinit {
        unsafe reachd_tls_chain_free(certificates)
    }

    /// Takes OpenSSL's list (`STACK_OF(X509) *`) over, with references of its own.
    ///
    /// - Parameter list: The list; it is only read, and may go thereafter.
    /// - Throws: ``TrustError`` with ``TrustError/Code/outOfMemory``.
    public convenience init(copying list: OpaquePointer) throws(TrustError) {
        guard let copy = unsafe reachd_tls_chain_copy(list) else { throw Self.noMemory }
        unsafe self.init(owning: copy)
    }

    /// Reads certificates.
    ///
    /// - Parameter contents: What to read, one after the other: each the DER of one certificate, or a PEM text of any
    ///   number of them.
    /// - Throws: ``TrustError`` when there is no certificate, or something that is none.
    public convenience init(reading contents: [[UInt8]]) throws(TrustError) {
        guard let list = unsafe reachd_tls_chain_create() else { throw Self.noMemory }
        unsafe self.init(owning: list)
        for bytes in contents { try read(bytes) }
        guard count > 0 else { throw TrustError(.noCertificate, "there is no certificate") }
    }

    /// Reads certificates from files.
    ///
    /// - Parameter files: Their paths, the server's own certificate first; PEM or DER, of at most 1 MiB.
    /// - Throws: ``TrustError`` when a file cannot be read, or holds something else.
    public convenience init(files: [String]) throws(TrustError) {
        guard let list = unsafe reachd_tls_chain_create() else { throw Self.noMemory }
        unsafe self.init(owning: list)
        for file in files {
            do throws(TrustError) {
                try read(TrustFile.read(file))
            } catch {
                throw TrustError(error.code, error.code == .unreadable ? error.message : "\(file): \(error.message)")
            }
        }
        guard count > 0 else { throw TrustError(.noCertificate, "there is no certificate") }
    }

    /// How many there are.
    public var count: Int { unsafe reachd_tls_chain_count(certificates) }

    /// What the certificates say, at most the first ten.
    public var descriptions: [Certificate] { unsafe CertificateReader.read(chain: certificates) }

    /// The DER of each.
    public var encodings: [[UInt8]] {
        (0..<count).compactMap { index in
            guard let certificate = unsafe reachd_tls_chain_certificate(certificates, index) else { return nil }
            return unsafe CertificateReader.encoding(of: certificate)
        }
    }

    private func read(_ bytes: [UInt8]) throws(TrustError) {
        // DER begins with the tag of a sequence, which no text does.
        guard bytes.first == 0x30 else {
            let added = unsafe reachd_tls_chain_add_pem(certificates, bytes, bytes.count)
            guard added != 0 else { throw TrustError(.noCertificate, "there is no certificate in it") }
            guard added > 0 else { throw Self.malformed }
            return
        }
        guard unsafe reachd_tls_chain_add_der(certificates, bytes, bytes.count) != 0 else { throw Self.malformed }
    }

    private static let malformed = TrustError(.malformedCertificate, "it holds something that is no certificate")
    private static let noMemory = TrustError(.outOfMemory, "no memory for certificates")
}

/// The files of certificates.
package enum TrustFile {
    /// More than any collection of authorities has; Debian's has 220 KB.
    private static let limit = 1 << 20

    /// The contents of a file.
    package static func read(_ path: String) throws(TrustError) -> [UInt8] {
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try FileContents.read(path, limit: limit + 1)
        } catch {
            throw TrustError(.unreadable, error.description)
        }
        guard bytes.count <= limit else { throw TrustError(.tooLong, "\(path) is longer than 1 MiB") }
        return bytes
    }
}
