// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import NetworkPaths
import Probing

/// A probe's result in blackbox_exporter's terms. A class, because thirty families receive it.
final class ProbeSample {
    /// Labels of every sample; none for a scrape of one target.
    let labels: [UInt8]
    let request: ProbeRequest
    let result: ProbeResult
    /// Whether the result is a success.
    let isSuccess: Bool

    /// - Parameter canBeAsked: whether the target could answer a probe now.
    init(labels: [UInt8], request: ProbeRequest, result: ProbeResult, canBeAsked: Bool = true) {
        self.labels = labels
        self.request = request
        self.result = result
        isSuccess = canBeAsked && result.outcome != .failure
    }

    /// The duration of a phase; zero if it did not occur.
    func phase(_ phase: ProbePhase) -> UInt64 { result.phases[phase]?.nanoseconds ?? 0 }

    /// The 32-bit FNV-1a hash of the address.
    static func hash(_ address: IPAddress) -> UInt32 {
        unsafe address.unmapped.withNetworkBytes { bytes in
            unsafe bytes.reduce(0x811c_9dc5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        }
    }

    /// Whether the content of the answer made it fail.
    var failedByText: Bool {
        switch result.reason {
        case .unexpectedResponse, .unexpectedBody, .unexpectedHeader, .unexpectedJSON: true
        default: false
        }
    }

    // MARK: Kinds

    var isHTTP: Bool { if case .http = request.kind { true } else { false } }
    var isDNS: Bool { if case .dns = request.kind { true } else { false } }
    var isICMP: Bool { if case .icmp = request.kind { true } else { false } }
    var isGRPC: Bool { if case .grpc = request.kind { true } else { false } }

    /// A connection with a dialogue.
    var isStream: Bool {
        switch request.kind {
        case .tcp, .tls: true
        default: false
        }
    }

    /// Whether the last server used TLS.
    var usedTLS: Bool { result.http.map { $0.url.hasPrefix("https:") } ?? (result.tls != nil) }

    // MARK: gRPC

    /// The status code of the call (grpc.github.io, "Status codes"), as far as the result has it.
    var grpcStatus: Int {
        switch result.reason {
        case nil, .grpcNotServing, .certificateExpiresSoon, .pinsExpireSoon, .tooSlow, .someAddressesFailed: 0
        case .timeout, .nameTimeout: 4
        case .grpcServiceUnknown: 5
        case .grpcUnimplemented: 12
        case .grpcError: 2
        default: 14
        }
    }

    /// The status that the health service reported.
    var servingStatus: String {
        switch result.reason {
        case .grpcNotServing: "NOT_SERVING"
        case .grpcServiceUnknown: "SERVICE_UNKNOWN"
        default: grpcStatus == 0 ? "SERVING" : "UNKNOWN"
        }
    }

    // MARK: DNS

    /// The serial number of the zone, if it was queried (RFC 1035, section 3.3.13).
    var serial: UInt32? {
        guard let record = result.dns?.answers.first(where: { $0.type == DNSRecordType(name: "SOA") }) else {
            return nil
        }
        let fields = record.data.split(separator: " ")
        return fields.count > 2 ? UInt32(fields[2]) : nil
    }
}
