// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import CCurl

/// Maps libcurl's codes to reasons.
enum CurlFault {
    /// Returns the fault of a transfer; nil for a success.
    static func fault(of response: CurlResponse, to request: CurlRequest) -> ProbeFault? {
        if response.stop == .headerLimit { return headersTooLarge }
        if response.stop == .receiveLimit { return tooMuch(of: response, to: request) }
        // libcurl reports success for a body delimited by the connection's end, even if the connection broke.
        guard response.code != 0 || response.isCutShort, response.stop != .bodyLimit else { return response.bodyFault }
        if let fault = response.fault { return fault }
        if let fault = CurlTLSFault.fault(of: response, to: request) { return fault }
        if request.usesProxy, let fault = proxyFault(of: response) { return fault }
        if let fault = response.connectionFault { return fault }
        return ProbeFault(reason: reason(of: response, to: request), detail: response.words)
    }

    private static func tooMuch(of response: CurlResponse, to request: CurlRequest) -> ProbeFault {
        let isHandshake = request.tls != nil && response.times.secured == 0
        return ProbeFault(
            reason: isHandshake ? .tlsHandshakeFailed : .httpProtocolError,
            detail: "\(request.meter.words) before its \(isHandshake ? "TLS handshake" : "response") ended"
        )
    }

    private static let headersTooLarge = ProbeFault(
        reason: .headersTooLarge,
        detail: "the response's headers are larger than \(CurlTransfer.headerLimit) bytes"
    )

    private static func proxyFault(of response: CurlResponse) -> ProbeFault? {
        if response.proxyStatus >= 300 {
            return ProbeFault(reason: .proxyFailed, detail: "the proxy responded \(response.proxyStatus)")
        }
        let isBeforeProxy = response.times.connected == 0
        let isProxysCode = [Int32(reachd_curl_proxy.rawValue), Int32(reachd_curl_couldnt_resolve_proxy.rawValue)]
            .contains(response.code)
        guard isBeforeProxy || isProxysCode else { return nil }
        return ProbeFault(
            reason: .proxyFailed,
            detail: "the proxy: \(response.words)",
            packetError: response.connectionFault?.packetError
        )
    }

    private static func reason(of response: CurlResponse, to request: CurlRequest) -> ProbeReason {
        switch reachd_curl_code(rawValue: UInt32(bitPattern: response.code)) {
        case reachd_curl_couldnt_connect, reachd_curl_send_error, reachd_curl_receive_error:
            transferReason(of: response)
        case reachd_curl_timed_out: .timeout
        // libcurl also reports this for a server that responds with a protocol other than HTTP/2.
        case reachd_curl_got_nothing: request.version == .http2 ? .httpProtocolError : .connectionClosed
        case reachd_curl_partial_file: .connectionClosed
        case reachd_curl_url_malformed: .invalidRequest
        case reachd_curl_too_large: .headersTooLarge
        case reachd_curl_out_of_memory:
            // libcurl also reports this for a header line of more than 100 KiB.
            response.times.requested > 0 && response.status == 0 || response.status != 0
                ? .headersTooLarge : .outOfMemory
        case reachd_curl_unsupported_protocol, reachd_curl_weird_server_reply, reachd_curl_http2,
            reachd_curl_http2_stream, reachd_curl_bad_content_encoding, reachd_curl_write_error:
            .httpProtocolError
        default: .systemError
        }
    }

    private static func transferReason(of response: CurlResponse) -> ProbeReason {
        guard response.words.hasPrefix("OpenSSL") || response.times.connected == 0 else {
            // A chunk without its length, or an incomplete frame.
            return .httpProtocolError
        }
        return .connectionClosed
    }
}

/// Maps the failures of libcurl's TLS handshakes.
///
/// libcurl has one code for most of them, and OpenSSL's code only in a text, `error:0A00042E:SSL routines::tlsv1 alert
/// protocol version`, from which the number is parsed.
enum CurlTLSFault {
    /// Returns the fault; nil when TLS did not fail.
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
        // Not an OpenSSL error: the connection broke, or the peer closed it.
        return end(of: response)
    }

    private static func end(of response: CurlResponse) -> ProbeFault {
        let detail = response.connectionFault?.detail ?? response.words
        return ProbeFault(
            reason: response.connectionFault?.reason ?? .connectionClosed,
            detail: "during the TLS handshake: \(detail)"
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
        // The alert no_application_protocol (RFC 7301, section 3.2). libcurl 7 also offers HTTP/1.1 where HTTP/2 is
        // required; a server's choice of that is the same fault.
        case 1_120 where request.version == .http2:
            ProbeFault(reason: .httpProtocolError, detail: "the server does not speak HTTP/2: \(words)")
        // SSL_AD_REASON_OFFSET, to which the alert's number is added.
        case 1_000...1_255: ProbeFault(reason: .tlsAlert, detail: "the peer sent an alert: \(words)")
        default: ProbeFault(reason: .tlsHandshakeFailed, detail: "TLS: \(words)")
        }
    }

    /// Returns OpenSSL's reason, the low 23 bits of its code; nil when the text has no such code.
    static func reasonNumber(in words: String) -> UInt32? {
        words.split(separator: " ").lazy
            .filter { $0.hasPrefix("error:") }
            .compactMap { UInt32($0.dropFirst(6).prefix { $0 != ":" }, radix: 16) }
            .first.map { $0 & 0x7F_FFFF }
    }
}
