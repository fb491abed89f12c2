// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import Testing

@testable import Probing

@Suite struct ErrnoReasonTests {
    static let transferTable: [(Int32, ProbeReason)] = [
        (ECONNREFUSED, .connectRefused), (ECONNRESET, .connectionReset), (ENOTCONN, .connectionReset),
        (EPIPE, .connectionClosed),
        (ECONNABORTED, .connectionClosed), (ETIMEDOUT, .timeout), (EHOSTUNREACH, .hostUnreachable),
        (EHOSTDOWN, .hostUnreachable), (ENONET, .hostUnreachable), (ENETUNREACH, .networkUnreachable),
        (ENETDOWN, .networkDown), (EPERM, .prohibited), (EACCES, .prohibited), (EINVAL, .blackhole),
        (EMSGSIZE, .messageTooBig), (ENOPROTOOPT, .protocolUnreachable), (EPROTO, .protocolUnreachable),
        (EADDRNOTAVAIL, .outOfPorts), (EADDRINUSE, .outOfPorts), (EMFILE, .outOfDescriptors),
        (ENFILE, .outOfDescriptors), (ENOMEM, .outOfMemory), (ENOBUFS, .outOfMemory),
        (EAFNOSUPPORT, .familyUnsupported), (ENODEV, .interfaceNotFound), (EIO, .systemError),
    ]
    static let setupTable: [(Int32, ProbeReason)] = [
        (EMFILE, .outOfDescriptors), (ENFILE, .outOfDescriptors), (ENOMEM, .outOfMemory), (ENOBUFS, .outOfMemory),
        (EPERM, .permissionDenied), (EACCES, .permissionDenied), (EADDRNOTAVAIL, .sourceUnavailable),
        (EADDRINUSE, .outOfPorts), (ENODEV, .interfaceNotFound), (ENXIO, .interfaceNotFound),
        (EAFNOSUPPORT, .familyUnsupported), (EPROTONOSUPPORT, .familyUnsupported), (EINVAL, .systemError),
        (ECONNREFUSED, .systemError),
    ]

    @Test(arguments: transferTable) func transfer(_ row: (code: Int32, reason: ProbeReason)) {
        #expect(ErrnoReason.reason(of: row.code, at: .transfer) == row.reason)
    }

    @Test(arguments: setupTable) func setup(_ row: (code: Int32, reason: ProbeReason)) {
        #expect(ErrnoReason.reason(of: row.code, at: .setup) == row.reason)
    }

    /// The codes are promised: a change of this list is a change of the interface.
    @Test func codes() {
        let codes = ProbeReason.allCases.map(\.rawValue)
        #expect(
            codes.sorted() == [
                "address_mismatch", "bad_content_encoding", "bad_redirect", "blackhole", "body_too_large", "cancelled",
                "certificate_expires_soon", "connect_refused", "connection_closed", "connection_reset",
                "credentials_unavailable", "family_unsupported", "grpc_error", "grpc_not_serving",
                "grpc_service_unknown", "grpc_unimplemented", "headers_too_large", "heartbeat_failed",
                "heartbeat_missed", "host_unreachable", "http_protocol_error", "icmp_not_permitted",
                "interface_not_found", "invalid_request", "malformed_response", "message_too_big", "mtu_black_hole",
                "name_error",
                "name_invalid", "name_not_found", "name_server_failure", "name_server_refused",
                "name_server_unreachable", "name_timeout", "name_without_address", "network_down",
                "network_unreachable", "no_traffic", "ntp_kiss_of_death", "ntp_offset", "ntp_stratum",
                "ntp_unsynchronized",
                "out_of_descriptors", "out_of_memory", "out_of_ports", "packet_loss",
                "permission_denied", "pins_expire_soon", "prohibited", "protocol_unreachable", "proxy_failed",
                "some_addresses_failed", "source_unavailable", "starttls_refused", "system_error", "target_denied",
                "timeout",
                "tls_alert", "tls_bad_signature", "tls_critical_extension", "tls_expired", "tls_files_unreadable",
                "tls_handshake_failed", "tls_hostname_mismatch", "tls_lifetime_too_long", "tls_name_constraint",
                "tls_not_an_authority", "tls_not_yet_valid", "tls_path_too_long", "tls_pin_mismatch",
                "tls_self_signed", "tls_untrusted", "tls_untrusted_root", "tls_version_unsupported", "tls_weak_key",
                "tls_weak_signature", "tls_wrong_purpose", "too_many_redirects", "too_slow", "ttl_exceeded",
                "unexpected_answer", "unexpected_body", "unexpected_header", "unexpected_json", "unexpected_response",
                "unexpected_response_code", "unexpected_status", "unexpectedly_reachable",
            ]
        )
        #expect(codes.allSatisfy { code in code.allSatisfy { $0 == "_" || $0.isLowercase } })
    }
}
