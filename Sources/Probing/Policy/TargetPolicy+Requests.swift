// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses

extension TargetPolicy {
    /// Why a request is refused before anything is looked up; nil when nothing speaks against it yet.
    ///
    /// The addresses of a name, and where redirects lead, are checked by the run: ``ProbeRunner/start(_:under:completion:)``.
    package func refusal(of request: ProbeRequest) -> Refusal? {
        if let refusal = refusal(of: request.kind.policyKind) { return refusal }
        if let port = request.kind.port, let refusal = refusal(of: port) { return refusal }
        if case .http(let settings) = request.kind, let refusal = refusal(ofRouteOf: settings) { return refusal }
        return refusal(of: request.host)
    }

    /// Why the proxy of a request is not asked, or what it would ask; nil without one, and when nothing speaks against it yet.
    package func refusal(ofRouteOf settings: HTTPProbeSettings) -> Refusal? {
        guard let proxy = settings.proxy else { return nil }
        guard allowsProxies else { return Refusal(subject: .proxy, detail: "a proxy is not open for clients") }
        return refusal(of: proxy.host) ?? IPAddress(settings.url.host).flatMap(refusal(of:))
    }

    private func refusal(of host: ProbeHost) -> Refusal? {
        guard case .address(let address) = host else { return nil }
        return refusal(of: address)
    }

    /// Why a redirect is not followed, as far as the URL says; nil when nothing speaks against it yet.
    func refusal(of url: HTTPURL) -> Refusal? {
        refusal(of: Kind(url.isSecure ? "https" : "http")) ?? refusal(of: url.port)
            ?? IPAddress(url.host).flatMap(refusal(of:))
    }

    /// Why addresses that a name has are not asked; nil when all may be.
    func refusal(of addresses: some Sequence<IPAddress>) -> Refusal? {
        for address in addresses {
            if let refusal = refusal(of: address) { return refusal }
        }
        return nil
    }
}

extension TargetPolicy.Refusal {
    /// The refusal as a run's end.
    func fault(of name: String) -> ProbeFault {
        ProbeFault(reason: .targetDenied, detail: "\(name) is not asked: \(detail)")
    }
}
