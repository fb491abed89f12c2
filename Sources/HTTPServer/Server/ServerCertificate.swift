// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CMicroHTTPD
import Glibc
import LinuxIO

/// A loaded certificate chain with its private key.
@safe final class ServerCertificate: Sendable {
    /// The maximum size of a file in bytes; certificate chains and keys have some thousands.
    private static let fileLimit = 1 << 20

    /// Safe to share: immutable but for its count of references, which is atomic.
    nonisolated(unsafe) let pointer: OpaquePointer
    /// The certificate file's bytes, to detect changes.
    let chain: [UInt8]
    /// When the server's certificate expires, in seconds since 1970.
    let expiry: Int64?

    /// Reads both files.
    ///
    /// - Throws: ``HTTPServerError`` with the code `unusableCertificate`; its message reveals nothing of the key.
    init(_ files: CertificateFiles) throws(HTTPServerError) {
        chain = try Self.read(files.certificate)
        var key = try Self.read(files.key)
        var fault = [CChar](repeating: 0, count: 256)
        let made = unsafe chain.withUnsafeBytes { chain in
            unsafe key.withUnsafeMutableBytes { key in
                // An empty file has no address.
                let nothing: StaticString = ""
                let made = unsafe reachd_http_certificate_create(
                    chain.baseAddress ?? UnsafeRawPointer(nothing.utf8Start),
                    chain.count,
                    key.baseAddress.map { UnsafeRawPointer($0) } ?? UnsafeRawPointer(nothing.utf8Start),
                    key.count,
                    &fault,
                    fault.count
                )
                // GnuTLS has its own copy, and this one would remain in freed memory.
                if let address = key.baseAddress { unsafe explicit_bzero(address, key.count) }
                return unsafe made
            }
        }
        guard let pointer = unsafe made else {
            let words = String(decoding: fault.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            throw HTTPServerError(
                code: .unusableCertificate,
                message: "\(files.certificate) with \(files.key): \(words)"
            )
        }
        unsafe self.pointer = pointer
        let expiry = unsafe reachd_http_certificate_expiry(pointer)
        self.expiry = expiry >= 0 ? expiry : nil
    }

    deinit {
        unsafe reachd_http_certificate_release(pointer)
    }

    private static func read(_ path: String) throws(HTTPServerError) -> [UInt8] {
        do throws(SystemError) {
            return try FileContents.read(path, limit: fileLimit)
        } catch {
            throw HTTPServerError(code: .unusableCertificate, message: "\(error)")
        }
    }
}

/// The files of a certificate chain and its private key, both in PEM form.
package struct CertificateFiles: Sendable, Hashable {
    /// The chain: the server's certificate, and its intermediate certificates.
    package var certificate: String
    /// The private key of the server's certificate, without a password.
    package var key: String

    /// Creates a pair of paths.
    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// The outcome of reloading a certificate's files.
package struct CertificateReload: Sendable {
    /// The certificate in use afterwards.
    package enum Outcome: Sendable {
        /// The same certificate as before; it expires at this time, in seconds since 1970.
        case unchanged(expiry: Int64?)
        /// The new one, for new connections.
        case replaced(expiry: Int64?)
        /// The previous one, because the files cannot be used.
        case refused(HTTPServerError)
    }

    /// The files.
    package let files: CertificateFiles
    /// The certificate in use afterwards.
    package let outcome: Outcome
}
