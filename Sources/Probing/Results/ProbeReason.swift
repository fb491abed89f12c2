// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Why a run is not a success: a closed list of stable codes.
///
/// Codes that begin with `name_` are about finding the target's address, not about the target.
package enum ProbeReason: String, Sendable, Hashable, CaseIterable {
    // MARK: The name

    /// The target's name does not exist (NXDOMAIN).
    case nameNotFound = "name_not_found"
    /// The name exists and has no address, or none of the family that is asked for.
    case nameWithoutAddress = "name_without_address"
    /// No name server answered in time.
    case nameTimeout = "name_timeout"
    /// The name servers failed (SERVFAIL).
    case nameServerFailure = "name_server_failure"
    /// The name servers do not answer us (REFUSED).
    case nameServerRefused = "name_server_refused"
    /// No name server can be reached.
    case nameServerUnreachable = "name_server_unreachable"
    /// The text cannot be a name.
    case nameInvalid = "name_invalid"
    /// The look-up failed in another way.
    case nameError = "name_error"
    /// The name has an address that it should not have.
    case addressMismatch = "address_mismatch"

    // MARK: The way to the target

    /// No answer in time.
    case timeout
    /// The host refuses: RST to a connection, "port unreachable" to a datagram.
    case connectRefused = "connect_refused"
    /// The peer reset a connection that stood.
    case connectionReset = "connection_reset"
    /// The peer closed the connection before it had said what is expected.
    case connectionClosed = "connection_closed"
    /// The host cannot be reached: ICMP "host unreachable", or nobody answers on the last link.
    case hostUnreachable = "host_unreachable"
    /// The network cannot be reached: no route here, or ICMP "network unreachable" from the way.
    case networkUnreachable = "network_unreachable"
    /// The network on this machine is down.
    case networkDown = "network_down"
    /// A blackhole route of this machine takes the packets.
    case blackhole
    /// A firewall or a prohibit route refused the packet, on this machine or, by ICMP, on the way.
    case prohibited
    /// The host does not speak the protocol (ICMP "protocol unreachable", "parameter problem").
    case protocolUnreachable = "protocol_unreachable"
    /// The packet is too big for the way and may not be cut in pieces.
    case messageTooBig = "message_too_big"
    /// The packet's time to live ended on the way.
    case ttlExceeded = "ttl_exceeded"

    // MARK: TLS

    /// The server refuses STARTTLS or does not offer it.
    case startTLSRefused = "starttls_refused"
    /// The handshake failed in another way than those below: the peer does not speak TLS, or breaks its rules.
    case tlsHandshakeFailed = "tls_handshake_failed"
    /// The peer ended the handshake or the session with an alert, named in the detail.
    case tlsAlert = "tls_alert"
    /// There is no version of TLS that both sides allow.
    case tlsVersionUnsupported = "tls_version_unsupported"
    /// A certificate that is needed is not valid any more.
    case tlsExpired = "tls_expired"
    /// A certificate that is needed is not valid yet.
    case tlsNotYetValid = "tls_not_yet_valid"
    /// The server's certificate is for other names.
    case tlsHostnameMismatch = "tls_hostname_mismatch"
    /// A signature in the chain does not fit the key that should have made it.
    case tlsBadSignature = "tls_bad_signature"
    /// A certificate of the chain was signed by one that may sign none.
    case tlsNotAnAuthority = "tls_not_an_authority"
    /// There are more authorities in the chain than one of them allows.
    case tlsPathTooLong = "tls_path_too_long"
    /// An authority of the chain may not sign for such names.
    case tlsNameConstraint = "tls_name_constraint"
    /// A certificate of the chain has a critical extension that is not known here.
    case tlsCriticalExtension = "tls_critical_extension"
    /// A certificate of the chain is for another purpose than a TLS server's.
    case tlsWrongPurpose = "tls_wrong_purpose"
    /// A key of the chain is too short.
    case tlsWeakKey = "tls_weak_key"
    /// A certificate of the chain is signed in a way that can be forged.
    case tlsWeakSignature = "tls_weak_signature"
    /// The server's certificate is valid for longer than it may be.
    case tlsLifetimeTooLong = "tls_lifetime_too_long"
    /// Nothing that is pinned is in the server's chain.
    case tlsPinMismatch = "tls_pin_mismatch"
    /// The server's certificate is signed with its own key and is not trusted.
    case tlsSelfSigned = "tls_self_signed"
    /// The server's chain does not lead to an authority that is trusted.
    case tlsUntrustedRoot = "tls_untrusted_root"
    /// The server's chain is not trusted for another reason, named in the detail.
    case tlsUntrusted = "tls_untrusted"
    /// A certificate expires sooner than the bound; the run is degraded.
    case certificateExpiresSoon = "certificate_expires_soon"
    /// The pins come to their date sooner than the bound; the run is degraded.
    case pinsExpireSoon = "pins_expire_soon"

    // MARK: The answer

    /// The peer said something else than expected.
    case unexpectedResponse = "unexpected_response"
    /// The answer cannot be read.
    case malformedResponse = "malformed_response"
    /// The name server answers with a response code that is not among the expected.
    case unexpectedResponseCode = "unexpected_response_code"
    /// The name server's records are not the expected.
    case unexpectedAnswer = "unexpected_answer"
    /// The HTTP status is not among the expected.
    case unexpectedStatus = "unexpected_status"
    /// A header of the HTTP response is not as expected.
    case unexpectedHeader = "unexpected_header"
    /// The HTTP response's body is not as expected.
    case unexpectedBody = "unexpected_body"
    /// A value of the HTTP response's JSON is not as expected, or it is not JSON.
    case unexpectedJSON = "unexpected_json"
    /// The HTTP response's body is larger than the limit, and that is to be a failure.
    case bodyTooLarge = "body_too_large"
    /// The HTTP response's headers are larger than 64 KiB.
    case headersTooLarge = "headers_too_large"
    /// There are more redirects than are followed.
    case tooManyRedirects = "too_many_redirects"
    /// A redirect leads to another protocol than HTTP, or to what is no URL.
    case badRedirect = "bad_redirect"
    /// What the peer says is not HTTP, or not the version asked for.
    case httpProtocolError = "http_protocol_error"
    /// The proxy cannot be reached, or does not let us through to the target.
    case proxyFailed = "proxy_failed"
    /// The gRPC health service says that the service does not serve.
    case grpcNotServing = "grpc_not_serving"
    /// The gRPC health service does not know the service.
    case grpcServiceUnknown = "grpc_service_unknown"
    /// The gRPC server has no health service.
    case grpcUnimplemented = "grpc_unimplemented"
    /// The gRPC call failed in another way.
    case grpcError = "grpc_error"
    /// The time server tells clients to go away, by a kiss code.
    case ntpKissOfDeath = "ntp_kiss_of_death"
    /// The time server's own clock is not synchronised.
    case ntpUnsynchronized = "ntp_unsynchronized"
    /// The time server is further from a clock than is expected.
    case ntpStratum = "ntp_stratum"
    /// The time server's clock and this machine's differ by more than is expected.
    case ntpOffset = "ntp_offset"
    /// Some echo requests had no reply.
    case packetLoss = "packet_loss"
    /// The answer took longer than the bound.
    case tooSlow = "too_slow"
    /// Some of the addresses failed.
    case someAddressesFailed = "some_addresses_failed"
    /// The target answers and should not.
    case unexpectedlyReachable = "unexpectedly_reachable"

    // MARK: Heartbeats

    /// The target did not call in time.
    case heartbeatMissed = "heartbeat_missed"
    /// The target called and said that something is wrong.
    case heartbeatFailed = "heartbeat_failed"

    // MARK: This machine

    /// A client of the HTTP interface named the target, and the operator's policy does not let it be asked: its address, the
    /// one that its name has now, or where a redirect leads.
    case targetDenied = "target_denied"
    /// The process may not do what the settings ask for, such as mark packets.
    case permissionDenied = "permission_denied"
    /// Neither datagram nor raw ICMP sockets are allowed: `net.ipv4.ping_group_range`, `CAP_NET_RAW`.
    case icmpNotPermitted = "icmp_not_permitted"
    /// The process or the system has no descriptor left.
    case outOfDescriptors = "out_of_descriptors"
    /// The kernel has no memory for it.
    case outOfMemory = "out_of_memory"
    /// No local port, or echo sequence number, is free.
    case outOfPorts = "out_of_ports"
    /// The local address to send from is not this machine's.
    case sourceUnavailable = "source_unavailable"
    /// The interface to send through does not exist.
    case interfaceNotFound = "interface_not_found"
    /// The system has no such address family.
    case familyUnsupported = "family_unsupported"
    /// The file with a password or token cannot be read.
    case credentialsUnavailable = "credentials_unavailable"
    /// A file of authorities, certificate or key is missing, cannot be read, or does not hold what it should.
    case tlsFilesUnreadable = "tls_files_unreadable"
    /// The settings contradict themselves or cannot be sent.
    case invalidRequest = "invalid_request"
    /// Another error of the system, named in the detail.
    case systemError = "system_error"
    /// The run was cancelled.
    case cancelled

    /// Whether it is the target's own word that it does not serve, so that the way there and back is proven.
    package var isOwnWord: Bool {
        switch self {
        case .connectRefused, .connectionReset, .connectionClosed, .protocolUnreachable: true
        default: false
        }
    }

    /// Whether it shows that the target does not answer, as a target that must not be reachable should.
    ///
    /// A run that could not be made, for want of a name or a descriptor, shows nothing. Whoever speaks TLS, be it badly,
    /// answers.
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

/// A reason with its detail, before there is a result to put it in.
package struct ProbeFault: Error, Hashable {
    package let reason: ProbeReason
    package let detail: String
    /// What the kernel reported about the packet, when that is the reason.
    package let packetError: PacketError?

    package init(reason: ProbeReason, detail: String, packetError: PacketError? = nil) {
        self.reason = reason
        self.detail = detail
        self.packetError = packetError
    }
}
