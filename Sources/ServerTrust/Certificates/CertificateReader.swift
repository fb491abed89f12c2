// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL
import Glibc
import LinuxIO

/// Converts OpenSSL's certificates to ``Certificate``. The bytes are untrusted: every count and length is bounded here.
enum CertificateReader {
    static let certificateLimit = 10
    static let leafNameLimit = 100
    private static let nameLimit = 10
    private static let textLimit = 256
    private static let serialLimit = 32

    /// The certificates of a chain, at most ``certificateLimit``.
    static func read(chain: OpaquePointer) -> [Certificate] {
        let count = unsafe min(reachd_tls_chain_count(chain), certificateLimit)
        return (0..<count).compactMap { index in
            guard let certificate = unsafe reachd_tls_chain_certificate(chain, index) else { return nil }
            return unsafe read(certificate, nameLimit: index == 0 ? leafNameLimit : nameLimit)
        }
    }

    /// Returns SHA-256 of a whole chain; nil when out of memory.
    static func digest(ofChain chain: OpaquePointer) -> ChainDigest? {
        var bytes = [UInt8](repeating: 0, count: 32)
        guard unsafe reachd_tls_chain_digest(chain, &bytes) != 0 else { return nil }
        return ChainDigest(bytes)
    }

    /// Returns the certificate's DER; nil when out of memory.
    static func encoding(of certificate: OpaquePointer) -> [UInt8]? {
        let count = unsafe reachd_tls_der(certificate, nil, 0)
        guard count > 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: count)
        guard unsafe reachd_tls_der(certificate, &bytes, count) == count else { return nil }
        return bytes
    }

    /// Returns the digest of its key; nil when out of memory.
    static func publicKeyDigest(of certificate: OpaquePointer) -> PublicKeyDigest? {
        var bytes = [UInt8](repeating: 0, count: 32)
        guard unsafe reachd_tls_public_key_digest(certificate, &bytes) != 0 else { return nil }
        return PublicKeyDigest(bytes: bytes)
    }

    /// SHA-256 of a certificate in lower-case hexadecimal digits.
    static func fingerprint(of certificate: OpaquePointer) -> String {
        unsafe hexadecimalDigest { unsafe reachd_tls_fingerprint(certificate, $0) }
    }

    /// Returns the fields of a certificate.
    static func read(_ certificate: OpaquePointer, nameLimit: Int = nameLimit) -> Certificate {
        let facts = unsafe reachd_tls_read_facts(certificate)
        let names = unsafe names(of: certificate, limit: nameLimit)
        let validity = unsafe validity(of: certificate)
        return unsafe Certificate(
            subject: text { unsafe reachd_tls_subject(certificate, $0, $1) },
            issuer: text { unsafe reachd_tls_issuer(certificate, $0, $1) },
            serialNumber: serialNumber(of: certificate),
            fingerprint: fingerprint(of: certificate),
            publicKeyDigest: hexadecimalDigest { unsafe reachd_tls_public_key_digest(certificate, $0) },
            names: names.texts,
            nameCount: names.count,
            notBefore: validity?.notBefore,
            notAfter: validity?.notAfter,
            key: facts.key.map { unsafe "\(String(cString: $0)) \(facts.key_bits)" } ?? "",
            signatureAlgorithm: String(cString: facts.signature),
            isAuthority: facts.authority == 1
        )
    }

    /// Returns the validity period, in seconds since 1970; nil when it cannot be read.
    static func validity(of certificate: OpaquePointer) -> (notBefore: Int64, notAfter: Int64)? {
        var notBefore: Int64 = 0
        var notAfter: Int64 = 0
        guard unsafe reachd_tls_validity(certificate, &notBefore, &notAfter) != 0 else { return nil }
        return (notBefore, notAfter)
    }

    private static func text(_ write: (UnsafeMutablePointer<UInt8>, Int) -> Int) -> String {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: textLimit) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            let total = unsafe write(start, textLimit)
            let kept = unsafe buffer.prefix(total)
            // OpenSSL has escaped the text already; this covers anything that it missed.
            return unsafe PrintableBytes.escape(kept, limit: textLimit, keepingBackslash: true)
                + (total > textLimit ? "…" : "")
        }
    }

    private static func serialNumber(of certificate: OpaquePointer) -> String {
        var count = 0
        var isNegative: Int32 = 0
        guard let start = unsafe reachd_tls_serial(certificate, &count, &isNegative) else { return "" }
        let bytes = unsafe UnsafeBufferPointer(start: start, count: min(count, serialLimit))
        let digits = unsafe PrintableBytes.hexadecimal(bytes)
        return (isNegative != 0 ? "-" : "") + digits + (count > serialLimit ? "…" : "")
    }

    private static func hexadecimalDigest(_ write: (UnsafeMutablePointer<UInt8>) -> Int32) -> String {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { buffer in
            guard let start = buffer.baseAddress, unsafe write(start) != 0 else { return "" }
            return unsafe PrintableBytes.hexadecimal(buffer)
        }
    }

    private static func names(of certificate: OpaquePointer, limit: Int) -> NameList {
        var list = NameList()
        unsafe withUnsafeMutablePointer(to: &list) { pointer in
            let total = unsafe reachd_tls_names(certificate, limit, pointer) { context, kind, bytes, count in
                guard let list = unsafe context?.assumingMemoryBound(to: NameList.self) else { return }
                unsafe list.pointee.add(kind, UnsafeBufferPointer(start: bytes, count: count))
            }
            unsafe pointer.pointee.count = total
        }
        return list
    }

    /// Formats an address of 4 or 16 bytes.
    private static func addressText(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        guard let start = bytes.baseAddress, bytes.count == 4 || bytes.count == 16 else { return nil }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
            guard let text = buffer.baseAddress,
                unsafe inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, start, text, socklen_t(INET6_ADDRSTRLEN)) != nil
            else { return nil }
            return unsafe String(cString: text)
        }
    }

    private struct NameList {
        var texts: [String] = []
        var count = 0

        mutating func add(_ kind: Int32, _ bytes: UnsafeBufferPointer<UInt8>) {
            let text = unsafe PrintableBytes.escape(bytes, limit: textLimit)
            switch reachd_tls_name_kind(UInt32(bitPattern: kind)) {
            case reachd_tls_name_dns: texts.append(text)
            case reachd_tls_name_uri: texts.append("URI:\(text)")
            case reachd_tls_name_email: texts.append("email:\(text)")
            default:
                texts.append(unsafe addressText(bytes) ?? "IP:\(text)")
            }
        }
    }
}
