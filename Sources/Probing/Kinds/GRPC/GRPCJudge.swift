// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// What a gRPC server's response means. Pure.
enum GRPCJudge {
    /// - Returns: The fault, nil when the service serves.
    static func fault(of response: CurlResponse, service: String) -> ProbeFault? {
        let name = service.isEmpty ? "the server" : PrintableBytes.quote(service.utf8)
        let type = response.contentType ?? []
        guard response.status == 200, type.starts(with: "application/grpc".utf8) else {
            return ProbeFault(
                reason: .grpcError,
                detail: "no gRPC: status \(response.status), content type \(PrintableBytes.quote(type))"
            )
        }
        guard let code = response.values(of: "grpc-status").last.flatMap({ Int(String(decoding: $0, as: UTF8.self)) })
        else {
            return ProbeFault(reason: .grpcError, detail: "the response has no grpc-status")
        }
        guard code == 0 else {
            let words = response.values(of: "grpc-message").last.map { ": \(PrintableBytes.quote($0))" } ?? ""
            let reason: ProbeReason =
                switch code {
                case 5: .grpcServiceUnknown
                case 12: .grpcUnimplemented
                default: .grpcError
                }
            return ProbeFault(reason: reason, detail: "grpc-status \(code)\(words)")
        }
        guard response.stop == nil, let status = try? HealthMessage.status(in: response.body) else {
            return ProbeFault(reason: .grpcError, detail: "the reply is not a health service's")
        }
        switch status {
        case .serving: return nil
        case .serviceUnknown:
            return ProbeFault(reason: .grpcServiceUnknown, detail: "the health service does not know \(name)")
        case .notServing, .unknown:
            let words = status == .unknown ? "its status is unknown" : "it is not serving"
            return ProbeFault(reason: .grpcNotServing, detail: "\(name): \(words)")
        }
    }
}
