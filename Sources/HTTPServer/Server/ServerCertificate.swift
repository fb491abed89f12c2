// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CMicroHTTPD
import Glibc
import LinuxIO

/// A certificate chain with its private key, ready to be shown.
@safe final class ServerCertificate: Sendable {
    /// Bytes of a file; certificate chains and keys have some thousands.
    private static let fileLimit = 1 << 20

    /// Safe to share: immutable but for its count of references, which is atomic.
    nonisolated(unsafe) let pointer: OpaquePointer
    /// The certificate file's bytes, to tell whether it changed.
    let chain: [UInt8]
    /// When the server's certificate ends, in seconds since 1970.
    let expiry: Int64?

    /// Reads both files.
    ///
    /// - Throws: ``HTTPServerError`` with the code `unusableCertificate`; nothing of the key is in its message.
    init(_ files: CertificateFiles) throws(HTTPServerError) {
        chain = try Self.read(files.certificate)
        var key = try Self.read(files.key)
        var fault = [CChar](repeating: 0, count: 256)
        let made = unsafe chain.withUnsafeBytes { chain in
            unsafe key.withUnsafeMutableBytes { key in
                // An empty file has no address at all.
                let nothing: StaticString = ""
                let made = unsafe reachd_http_certificate_create(
                    chain.baseAddress ?? UnsafeRawPointer(nothing.utf8Start),
                    chain.count,
                    key.baseAddress.map { UnsafeRawPointer($0) } ?? UnsafeRawPointer(nothing.utf8Start),
                    key.count,
                    &fault,
                    fault.count
                )
                // GnuTLS has its own copy, and this one would lie around in freed memory.
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

/// Where a certificate chain and its private key are, both in PEM form.
package struct CertificateFiles: Sendable, Hashable {
    /// The chain: the server's certificate, and those between it and the root.
    package var certificate: String
    /// The private key of the server's certificate, without a password.
    package var key: String

    /// Names the files.
    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

/// What came of reading a certificate's files again.
package struct CertificateReload: Sendable {
    /// What is shown from now on.
    package enum Outcome: Sendable {
        /// The same certificate as before; it ends at this time, in seconds since 1970.
        case unchanged(expiry: Int64?)
        /// The new one, to all who connect from now on.
        case replaced(expiry: Int64?)
        /// The old one, because the files cannot be used.
        case refused(HTTPServerError)
    }

    /// The files.
    package let files: CertificateFiles
    /// What is shown from now on.
    package let outcome: Outcome
}
