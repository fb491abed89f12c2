// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import COpenSSL
import CPublicSuffix
import Glibc

/// Checks whether a certificate is valid for a domain (S23): DNS names for a host, addresses for an address, no common
/// name. A wildcard must be the whole left-most label and must not be directly below a public suffix.
enum NameCheck {
    enum Outcome {
        case matches
        case matchesCommonName
        case differs
    }

    /// - Parameter domain: A host name, with or without a trailing dot, or an address.
    static func compare(_ certificate: OpaquePointer, with domain: String, allowsCommonName: Bool) -> Outcome {
        if let address = addressBytes(domain) {
            return unsafe reachd_tls_is_for_address(certificate, address, address.count) != 0 ? .matches : .differs
        }
        let host = domain.hasSuffix(".") ? String(domain.dropLast()) : domain
        // A leading dot would match every subdomain, and a `*` would match a wildcard: neither occurs in a host name.
        guard (1...253).contains(host.utf8.count), !host.hasPrefix("."),
            host.utf8.allSatisfy({ (0x21..<0x7F).contains($0) && $0 != UInt8(ascii: "*") })
        else { return .differs }
        if unsafe isFor(certificate, host, 0) { return .matches }
        guard allowsCommonName else { return .differs }
        return unsafe isFor(certificate, host, reachd_tls_name_rule_common_name.rawValue)
            ? .matchesCommonName : .differs
    }

    private static func isFor(_ certificate: OpaquePointer, _ host: String, _ rules: UInt32) -> Bool {
        var name = [UInt8](repeating: 0, count: 256)
        guard let found = unsafe fit(certificate, host, rules, &name) else { return false }
        guard found.hasPrefix("*."), unsafe reachd_psl_is_registry(String(found.dropFirst(2)).lowercased()) != 0 else {
            return true
        }
        // The first match is a wildcard below a public suffix; another name may match exactly.
        return unsafe fit(certificate, host, rules | reachd_tls_name_rule_exact.rawValue, &name) != nil
    }

    /// Returns the name in the certificate that matches; nil when none does.
    private static func fit(
        _ certificate: OpaquePointer,
        _ host: String,
        _ rules: UInt32,
        _ name: inout [UInt8]
    ) -> String? {
        let size = name.count
        let fits = unsafe name.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return false }
            return unsafe start.withMemoryRebound(to: CChar.self, capacity: size) { text in
                unsafe reachd_tls_is_for_host(certificate, host, rules, text, size) != 0
            }
        }
        return fits ? String(decoding: name.prefix { $0 != 0 }, as: UTF8.self) : nil
    }

    /// Returns the 4 or 16 bytes of an address, ignoring brackets and a zone; nil for a name.
    private static func addressBytes(_ text: String) -> [UInt8]? {
        var text = text[...]
        if text.hasPrefix("["), text.hasSuffix("]") { text = text.dropFirst().dropLast() }
        if text.contains(":"), let zone = text.firstIndex(of: "%") { text = text[..<zone] }
        var bytes = [UInt8](repeating: 0, count: 16)
        if unsafe inet_pton(AF_INET, String(text), &bytes) == 1 { return Array(bytes.prefix(4)) }
        return unsafe inet_pton(AF_INET6, String(text), &bytes) == 1 ? bytes : nil
    }
}
