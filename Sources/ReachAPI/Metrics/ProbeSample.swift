// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import NetworkPaths
import Probing

/// A probe's result, as blackbox_exporter would tell of it. A class, because each of thirty families is handed it.
final class ProbeSample {
    /// Labels of every sample; none for a scrape of one target.
    let labels: [UInt8]
    let request: ProbeRequest
    let result: ProbeResult
    /// Whether it is a success.
    let isSuccess: Bool

    /// - Parameter canBeAsked: whether whoever asked now could be answered.
    init(labels: [UInt8], request: ProbeRequest, result: ProbeResult, canBeAsked: Bool = true) {
        self.labels = labels
        self.request = request
        self.result = result
        isSuccess = canBeAsked && result.outcome != .failure
    }

    /// How long a phase took; nothing when there was none.
    func phase(_ phase: ProbePhase) -> UInt64 { result.phases[phase]?.nanoseconds ?? 0 }

    /// The address's FNV-1a hash of 32 bits.
    static func hash(_ address: IPAddress) -> UInt32 {
        unsafe address.unmapped.withNetworkBytes { bytes in
            unsafe bytes.reduce(0x811c_9dc5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        }
    }

    /// Whether what was said, and not how, was wrong.
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

    /// Whether the last server was spoken to by TLS.
    var usedTLS: Bool { result.http.map { $0.url.hasPrefix("https:") } ?? (result.tls != nil) }

    // MARK: gRPC

    /// The status code of the call (grpc.github.io, "Status codes"), as far as the result tells it.
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

    /// What the health service said of the service.
    var servingStatus: String {
        switch result.reason {
        case .grpcNotServing: "NOT_SERVING"
        case .grpcServiceUnknown: "SERVICE_UNKNOWN"
        default: grpcStatus == 0 ? "SERVING" : "UNKNOWN"
        }
    }

    // MARK: DNS

    /// The serial number of the zone, when that was asked for (RFC 1035, section 3.3.13).
    var serial: UInt32? {
        guard let record = result.dns?.answers.first(where: { $0.type == DNSRecordType(name: "SOA") }) else {
            return nil
        }
        let fields = record.data.split(separator: " ")
        return fields.count > 2 ? UInt32(fields[2]) : nil
    }
}
