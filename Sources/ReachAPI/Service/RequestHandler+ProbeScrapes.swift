// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Probing
import Schema
import Synchronization

/// One probe for a Prometheus multi-target scrape, compatible with blackbox_exporter.
extension RequestHandler {
    /// The default module, as in blackbox_exporter.
    static let standardModule = "http_2xx"
    /// How many seconds before the scraper's timeout a probe ends, so that the answer arrives in time.
    static let timeoutOffset = 0.5
    /// The assumed timeout of a scraper that sends none, in seconds: blackbox_exporter's value.
    static let standardPatience = 120.0
    /// The longest timeout that settings may have.
    static let longestTimeout = Duration.seconds(3_600)

    func probeScrape(
        _ request: HTTPRequest,
        _ reader: inout QueryReader,
        _ rules: AccessGate.Rules,
        isHead: Bool
    ) -> HTTPResponse {
        let format = MetricsFormat(accept: request.header("Accept"))
        let wantsLog = reader.boolean("debug")
        let name = reader.one("module") ?? Self.standardModule
        guard let module = modules.withLock({ $0[name] }) else {
            probeScrapes.refused()
            return unknownModule(name)
        }
        guard let question = question(module, request, &reader), reader.faults.isEmpty else {
            probeScrapes.refused()
            return Problem.invalid(reader.faults)
        }
        // A page of another site must not be able to start probes; where tokens are configured it has none.
        if rules.tokens.isEmpty, WriteRule(hosts: settings.hosts, isOpenToAll: true).refusal(of: request) != nil {
            probeScrapes.refused()
            return Problem(kind: .forbidden, detail: "Pages of other sites cannot start probes.").response
        }
        let headers = wantsLog ? Self.logHeaders : Self.metricsHeaders(format)
        if isHead { return HTTPResponse(status: 200, headers: headers) }
        guard let probes else {
            return Problem(kind: .notImplemented, detail: "This service does not run probes.").response
        }
        guard probeScrapes.begin() else {
            let detail = "\(ProbeScrapes.limit) probes are already running."
            return Problem(kind: .overloaded, detail: detail, headers: [HTTPHeader("Retry-After", "1")]).response
        }
        return respond(to: request) { [weak self] answer in
            probes.ask(question.request) { result in
                self?.probeScrapes.end(result)
                guard let result else {
                    return answer(Problem(kind: .overloaded, detail: "The service is stopping.").response)
                }
                // The policy decides which targets are allowed; it also checks the addresses of names and redirects.
                if result.reason == .targetDenied {
                    return answer(Problem(kind: .forbidden, detail: result.detail).response)
                }
                let bytes = wantsLog ? question.log(result) : question.metrics(result, format)
                answer(Self.answer(bytes, headers, to: request))
            }
        }
    }

    private static let logHeaders = [
        HTTPHeader("Content-Type", "text/plain; charset=utf-8"), HTTPHeader("Cache-Control", "no-store"), .noSniffing,
    ]

    // MARK: Request

    private func unknownModule(_ name: String) -> HTTPResponse {
        let known = modules.withLock { $0.keys.sorted() }
        let hint = NearestName.of(name, among: known).map { "Did you mean `\($0)`?" }
        let none = known.isEmpty ? "The configuration declares none (`probe_modules`)." : nil
        return Problem(kind: .unknownModule, detail: none ?? hint).response
    }

    /// The module and the target of a request; nil with a fault in the reader.
    private func question(
        _ module: ProbeModule,
        _ request: HTTPRequest,
        _ reader: inout QueryReader
    ) -> ProbeQuestion? {
        guard let text = reader.one("target"), !text.isEmpty else {
            reader.fault("target", "The target is missing.")
            return nil
        }
        do throws(ProbeTargetError) {
            // An empty hostname counts as absent, as in blackbox_exporter.
            let hostname = reader.one("hostname").flatMap { $0.isEmpty ? nil : $0 }
            var asked = try module.request(for: text, hostname: hostname)
            guard let timeout = Self.timeout(of: request, module.hasTimeout ? module.template.timeout : nil) else {
                reader.fault("", "X-Prometheus-Scrape-Timeout-Seconds is not a number of seconds.")
                return nil
            }
            asked.timeout = timeout
            return ProbeQuestion(module: module.name, target: text, request: asked)
        } catch {
            reader.fault("target", "It \(error.message).")
            return nil
        }
    }

    /// The scraper's timeout less the offset, or the module's if that is shorter; nil when the header is invalid.
    static func timeout(of request: HTTPRequest, _ module: Duration?) -> Duration? {
        var patience = standardPatience
        if let text = request.header("X-Prometheus-Scrape-Timeout-Seconds") {
            guard let seconds = Double(text), seconds > 0, seconds <= 86_400 else { return nil }
            patience = seconds
        }
        let room = patience > 2 * timeoutOffset ? patience - timeoutOffset : patience / 2
        return min(module ?? longestTimeout, .seconds(room))
    }
}
