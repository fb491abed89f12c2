// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CCurl

/// What a TLS handshake that libcurl made failed with.
///
/// libcurl has one code for most of it and OpenSSL's own code only in a text, `error:0A00042E:SSL routines::tlsv1 alert
/// protocol version`: the number there is what is read.
enum CurlTLSFault {
    /// The fault; nil when it was not TLS that failed.
    static func fault(of response: CurlResponse, to request: CurlRequest) -> ProbeFault? {
        guard let check = request.tls else { return nil }
        switch reachd_curl_code(rawValue: UInt32(bitPattern: response.code)) {
        case reachd_curl_peer_failed_verification:
            return check.fault ?? ProbeFault(reason: .tlsUntrusted, detail: "TLS: \(response.words)")
        case reachd_curl_tls_connect_error, reachd_curl_cipher, reachd_curl_certificate_problem,
            reachd_curl_receive_error, reachd_curl_send_error:
            break
        default:
            return nil
        }
        if let number = reasonNumber(in: response.words) { return fault(number, of: response, to: request) }
        guard response.code == Int32(reachd_curl_tls_connect_error.rawValue) else { return nil }
        // No error of OpenSSL's: the connection broke, or the peer hung up.
        return end(of: response)
    }

    private static func end(of response: CurlResponse) -> ProbeFault {
        let detail = response.connectionFault?.detail ?? response.words
        return ProbeFault(
            reason: response.connectionFault?.reason ?? .connectionClosed,
            detail: "in the TLS handshake: \(detail)"
        )
    }

    private static func fault(_ number: UInt32, of response: CurlResponse, to request: CurlRequest) -> ProbeFault? {
        let words = response.words
        return switch number {
        // SSL_R_UNEXPECTED_EOF_WHILE_READING
        case 294: end(of: response)
        // SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_WRONG_SSL_VERSION, SSL_R_VERSION_TOO_LOW, SSL_R_VERSION_TOO_HIGH, and the
        // alert protocol_version.
        case 258, 266, 396, 166, 1_070: ProbeFault(reason: .tlsVersionUnsupported, detail: "TLS: \(words)")
        // The alert no_application_protocol (RFC 7301, section 3.2). libcurl 7 offers HTTP/1.1 as well where HTTP/2 is wanted, and the
        // server's choice of that is the same fault.
        case 1_120 where request.version == .http2:
            ProbeFault(reason: .httpProtocolError, detail: "the server does not speak HTTP/2: \(words)")
        // SSL_AD_REASON_OFFSET, to which the alert's number is added.
        case 1_000...1_255: ProbeFault(reason: .tlsAlert, detail: "the peer sent an alert: \(words)")
        default: ProbeFault(reason: .tlsHandshakeFailed, detail: "TLS: \(words)")
        }
    }

    /// OpenSSL's reason: the low 23 bits of its code; nil when it is not OpenSSL that speaks.
    static func reasonNumber(in words: String) -> UInt32? {
        words.split(separator: " ").lazy
            .filter { $0.hasPrefix("error:") }
            .compactMap { UInt32($0.dropFirst(6).prefix { $0 != ":" }, radix: 16) }
            .first.map { $0 & 0x7F_FFFF }
    }
}
