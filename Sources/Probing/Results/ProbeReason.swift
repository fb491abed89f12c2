// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The reason why a run is not a success: a closed list of stable codes.
///
/// Codes that begin with `name_` concern name resolution, not the target.
package enum ProbeReason: String, Sendable, Hashable, CaseIterable {
    // MARK: The name

    /// The target's name does not exist (NXDOMAIN).
    case nameNotFound = "name_not_found"
    /// The name exists but has no address of the requested family.
    case nameWithoutAddress = "name_without_address"
    /// No name server answered in time.
    case nameTimeout = "name_timeout"
    /// The name servers failed (SERVFAIL).
    case nameServerFailure = "name_server_failure"
    /// The name servers refuse our queries (REFUSED).
    case nameServerRefused = "name_server_refused"
    /// No name server can be reached.
    case nameServerUnreachable = "name_server_unreachable"
    /// The text is not a valid name.
    case nameInvalid = "name_invalid"
    /// Name resolution failed in another way.
    case nameError = "name_error"
    /// The name has an address outside the expected ones.
    case addressMismatch = "address_mismatch"

    // MARK: The way to the target

    /// No answer in time.
    case timeout
    /// The host refuses: RST to a connection, ICMP "port unreachable" to a datagram.
    case connectRefused = "connect_refused"
    /// The peer reset an established connection.
    case connectionReset = "connection_reset"
    /// The peer closed the connection before the expected data.
    case connectionClosed = "connection_closed"
    /// The host is unreachable: ICMP "host unreachable", or no neighbour answered on the last link.
    case hostUnreachable = "host_unreachable"
    /// The network is unreachable: no local route, or ICMP "network unreachable" from a router.
    case networkUnreachable = "network_unreachable"
    /// The network of this machine is down.
    case networkDown = "network_down"
    /// A local blackhole route discards the packets.
    case blackhole
    /// A firewall or a prohibit route refused the packet, on this machine or, reported by ICMP, on the path.
    case prohibited
    /// The host does not support the protocol (ICMP "protocol unreachable", "parameter problem").
    case protocolUnreachable = "protocol_unreachable"
    /// The packet is too big for the path and must not be fragmented.
    case messageTooBig = "message_too_big"
    /// Small packets arrive, larger ones vanish without an ICMP error: a path MTU black hole (RFC 2923).
    case mtuBlackHole = "mtu_black_hole"
    /// The packet's time to live expired in transit.
    case ttlExceeded = "ttl_exceeded"

    // MARK: TLS

    /// The server refuses STARTTLS or does not offer it.
    case startTLSRefused = "starttls_refused"
    /// The handshake failed in another way than those below: the peer does not use TLS, or violates the protocol.
    case tlsHandshakeFailed = "tls_handshake_failed"
    /// The peer ended the handshake or the session with an alert; the detail names it.
    case tlsAlert = "tls_alert"
    /// There is no TLS version that both sides allow.
    case tlsVersionUnsupported = "tls_version_unsupported"
    /// A required certificate has expired.
    case tlsExpired = "tls_expired"
    /// A required certificate is not valid yet.
    case tlsNotYetValid = "tls_not_yet_valid"
    /// The server's certificate is for other names.
    case tlsHostnameMismatch = "tls_hostname_mismatch"
    /// A signature in the chain does not match the issuer's key.
    case tlsBadSignature = "tls_bad_signature"
    /// A certificate of the chain was signed by one that must not sign certificates.
    case tlsNotAnAuthority = "tls_not_an_authority"
    /// The chain has more CAs than one of them allows.
    case tlsPathTooLong = "tls_path_too_long"
    /// A CA of the chain must not sign for such names.
    case tlsNameConstraint = "tls_name_constraint"
    /// A certificate of the chain has a critical extension that is not supported.
    case tlsCriticalExtension = "tls_critical_extension"
    /// The key usage of a certificate of the chain does not allow TLS servers.
    case tlsWrongPurpose = "tls_wrong_purpose"
    /// A key of the chain is too short.
    case tlsWeakKey = "tls_weak_key"
    /// A signature algorithm in the chain can be forged.
    case tlsWeakSignature = "tls_weak_signature"
    /// The validity period of the server's certificate is too long.
    case tlsLifetimeTooLong = "tls_lifetime_too_long"
    /// The chain contains no pinned key, or does not lead to a pinned certificate.
    case tlsPinMismatch = "tls_pin_mismatch"
    /// The server's certificate is self-signed and not trusted.
    case tlsSelfSigned = "tls_self_signed"
    /// The server's chain does not lead to a trusted CA.
    case tlsUntrustedRoot = "tls_untrusted_root"
    /// The server's chain is not trusted for another reason; the detail names it.
    case tlsUntrusted = "tls_untrusted"
    /// A certificate expires sooner than the bound; the run is degraded.
    case certificateExpiresSoon = "certificate_expires_soon"
    /// The pins expire sooner than the bound; the run is degraded.
    case pinsExpireSoon = "pins_expire_soon"

    // MARK: The answer

    /// The peer's response is not the expected one.
    case unexpectedResponse = "unexpected_response"
    /// The response is malformed.
    case malformedResponse = "malformed_response"
    /// The name server's response code is not an expected one.
    case unexpectedResponseCode = "unexpected_response_code"
    /// The name server's records are not the expected ones.
    case unexpectedAnswer = "unexpected_answer"
    /// The HTTP status is not an expected one.
    case unexpectedStatus = "unexpected_status"
    /// A header of the HTTP response is not as expected.
    case unexpectedHeader = "unexpected_header"
    /// The HTTP response's body is not as expected.
    case unexpectedBody = "unexpected_body"
    /// A value of the HTTP response's JSON is not as expected, or it is not JSON.
    case unexpectedJSON = "unexpected_json"
    /// The HTTP response's body is larger than the limit, and the settings make that a failure.
    case bodyTooLarge = "body_too_large"
    /// The HTTP response's headers are larger than 64 KiB.
    case headersTooLarge = "headers_too_large"
    /// The HTTP response's body is not encoded as its header says, is cut off, or has an encoding that was not requested.
    case badContentEncoding = "bad_content_encoding"
    /// There are more redirects than the limit.
    case tooManyRedirects = "too_many_redirects"
    /// A redirect leads to another protocol than HTTP, or its location is not a URL.
    case badRedirect = "bad_redirect"
    /// The peer does not use HTTP, or not the requested version.
    case httpProtocolError = "http_protocol_error"
    /// The proxy is unreachable, or does not connect us to the target.
    case proxyFailed = "proxy_failed"
    /// The gRPC health service reports that the service is not serving.
    case grpcNotServing = "grpc_not_serving"
    /// The gRPC health service does not know the service.
    case grpcServiceUnknown = "grpc_service_unknown"
    /// The gRPC server has no health service.
    case grpcUnimplemented = "grpc_unimplemented"
    /// The gRPC call failed in another way.
    case grpcError = "grpc_error"
    /// The time server refuses clients by a kiss code.
    case ntpKissOfDeath = "ntp_kiss_of_death"
    /// The time server's own clock is not synchronised.
    case ntpUnsynchronized = "ntp_unsynchronized"
    /// The time server's stratum is larger than expected.
    case ntpStratum = "ntp_stratum"
    /// The clocks of the time server and this machine differ by more than expected.
    case ntpOffset = "ntp_offset"
    /// Some echo requests had no reply.
    case packetLoss = "packet_loss"
    /// The answer took longer than the bound.
    case tooSlow = "too_slow"
    /// Some of the addresses failed.
    case someAddressesFailed = "some_addresses_failed"
    /// The target answers although it should be unreachable.
    case unexpectedlyReachable = "unexpectedly_reachable"

    // MARK: Heartbeats

    /// The target sent no heartbeat in time.
    case heartbeatMissed = "heartbeat_missed"
    /// The target's heartbeat reported a failure.
    case heartbeatFailed = "heartbeat_failed"

    // MARK: This machine's connections

    /// This machine has had no connection to the target for too long, or its connections cannot be observed.
    case noTraffic = "no_traffic"

    // MARK: This machine

    /// The operator's policy denies a target that an API client set: its address, its name's current address, or a
    /// redirect's destination.
    case targetDenied = "target_denied"
    /// The process lacks a permission that the settings need, for example to mark packets.
    case permissionDenied = "permission_denied"
    /// Neither datagram nor raw ICMP sockets are permitted: `net.ipv4.ping_group_range`, `CAP_NET_RAW`.
    case icmpNotPermitted = "icmp_not_permitted"
    /// The process or the system has reached its descriptor limit.
    case outOfDescriptors = "out_of_descriptors"
    /// The kernel is out of memory.
    case outOfMemory = "out_of_memory"
    /// All local ports or echo sequence numbers are in use.
    case outOfPorts = "out_of_ports"
    /// The source address is not an address of this machine.
    case sourceUnavailable = "source_unavailable"
    /// The interface to send through does not exist.
    case interfaceNotFound = "interface_not_found"
    /// The system does not support the address family.
    case familyUnsupported = "family_unsupported"
    /// The file with a password or token cannot be read.
    case credentialsUnavailable = "credentials_unavailable"
    /// A CA, certificate or key file is missing, unreadable or invalid.
    case tlsFilesUnreadable = "tls_files_unreadable"
    /// The settings contradict themselves or cannot be encoded.
    case invalidRequest = "invalid_request"
    /// Another system error; the detail names it.
    case systemError = "system_error"
    /// The run was cancelled.
    case cancelled

    /// Whether the target itself reports the problem, which proves that the path works in both directions.
    package var isOwnWord: Bool {
        switch self {
        case .connectRefused, .connectionReset, .connectionClosed, .protocolUnreachable: true
        default: false
        }
    }

    /// Whether it proves that the target does not answer, as expected of one that must not be reachable.
    ///
    /// A run that could not be made, for lack of an address or a descriptor, proves nothing. Any TLS from the peer,
    /// however faulty, is an answer.
    package var showsUnreachable: Bool {
        switch self {
        case .timeout, .connectRefused, .connectionReset, .connectionClosed, .hostUnreachable, .networkUnreachable,
            .networkDown, .blackhole, .prohibited, .protocolUnreachable, .ttlExceeded:
            true
        default:
            false
        }
    }
}

/// A reason with its detail, for use before there is a result.
package struct ProbeFault: Error, Hashable {
    package let reason: ProbeReason
    package let detail: String
    /// The kernel's report about the packet, if that is the reason.
    package let packetError: PacketError?

    package init(reason: ProbeReason, detail: String, packetError: PacketError? = nil) {
        self.reason = reason
        self.detail = detail
        self.packetError = packetError
    }
}
