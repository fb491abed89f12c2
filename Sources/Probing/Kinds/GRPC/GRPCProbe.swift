// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import LinuxIO

/// `grpc`: a call of `grpc.health.v1.Health/Check` over HTTP/2, with prior knowledge or negotiated by TLS.
final class GRPCProbe: ProbeAttempt {
    /// Larger than any reply of a health service.
    private static let bodyLimit = 4 << 10

    private let settings: GRPCProbeSettings
    private let host: ProbeHost
    private let services: HTTPServices
    private let progress: AttemptProgress
    private var transfer: CurlTransfer?
    private var report: TLSReport?

    init(_ settings: GRPCProbeSettings, _ context: AttemptContext, _ services: HTTPServices) {
        self.settings = settings
        host = context.host
        self.services = services
        progress = AttemptProgress(context)
    }

    func start() {
        attempt { () throws(ProbeFault) in
            let request = try request()
            transfer = try services.multi().start(request) { [weak self] in self?.ended($0, to: request) }
        }
    }

    func expire() {
        let (response, fault) = HTTPTimeout.fault(of: transfer, usesProxy: false)
        if let response { took(response) }
        fail(fault)
    }

    func cancel() {
        stop()
        progress.end()
    }

    private func request() throws(ProbeFault) -> CurlRequest {
        let url = HTTPURL(
            isSecure: settings.tls != nil,
            host: host.description,
            port: settings.port,
            target: "/grpc.health.v1.Health/Check"
        )
        var request = CurlRequest(
            url: url,
            address: progress.context.address,
            port: settings.port,
            origin: progress.context.origin,
            meter: ReceiveMeter(content: Self.bodyLimit)
        )
        request.tls = try settings.tls.flatMap { tls throws(ProbeFault) in try services.check(tls, for: url) }
        request.method = "POST"
        request.version = .http2
        request.body = HealthMessage.request(service: settings.service)
        request.bodyLimit = Self.bodyLimit
        request.keepsHeaders = true
        request.keepsBody = true
        request.headers = settings.metadata.map(\.line)
        request.headers += ["Content-Type: application/grpc", "TE: trailers", "User-Agent: reachd", "Accept:"]
        if let authority = settings.authority {
            guard let header = HTTPHeader(name: "Host", value: authority), !authority.isEmpty else {
                throw ProbeFault(reason: .invalidRequest, detail: "bad host \(PrintableBytes.quote(authority.utf8))")
            }
            request.headers.append(header.line)
        }
        return request
    }

    private func ended(_ response: CurlResponse, to request: CurlRequest) {
        transfer = nil
        took(response)
        if let fault = CurlFault.fault(of: response, to: request) { return fail(fault) }
        if response.version != 20 {
            return fail(ProbeFault(reason: .httpProtocolError, detail: "the server does not speak HTTP/2"))
        }
        let fault = GRPCResponseCheck.fault(of: response, service: settings.service)
        progress.finish(fault == nil ? .success : .failure, fault?.reason, fault?.detail ?? "serving") { result in
            result.tls = report
        }
    }

    private func took(_ response: CurlResponse) {
        for (phase, time) in response.times.phases { progress.addPhase(phase, time) }
        report = response.tls
        if response.times.connected > 0 { progress.isAnswered = true }
    }

    func fail(_ fault: ProbeFault) {
        let stall = fault.reason == .timeout ? transfer?.stall : nil
        stop()
        progress.fail(fault, stall: stall) { $0.tls = report }
    }

    private func stop() {
        if let transfer { services.cancel(transfer) }
        transfer = nil
    }
}

/// Checks a gRPC server's response. Pure.
enum GRPCResponseCheck {
    /// - Returns: The fault; nil when the service is serving.
    static func fault(of response: CurlResponse, service: String) -> ProbeFault? {
        let name = service.isEmpty ? "the server" : PrintableBytes.quote(service.utf8)
        let type = response.contentType ?? []
        guard response.status == 200, type.starts(with: "application/grpc".utf8) else {
            return ProbeFault(
                reason: .grpcError,
                detail: "not a gRPC response: status \(response.status), content type \(PrintableBytes.quote(type))"
            )
        }
        guard let code = response.values(of: "grpc-status").last.flatMap({ Int(String(decoding: $0, as: UTF8.self)) })
        else {
            return ProbeFault(reason: .grpcError, detail: "the response lacks grpc-status")
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
            return ProbeFault(reason: .grpcError, detail: "the reply is not a HealthCheckResponse")
        }
        switch status {
        case .serving: return nil
        case .serviceUnknown:
            return ProbeFault(reason: .grpcServiceUnknown, detail: "the health service does not know \(name)")
        case .notServing, .unknown:
            let words = status == .unknown ? "the status is unknown" : "not serving"
            return ProbeFault(reason: .grpcNotServing, detail: "\(name): \(words)")
        }
    }
}
