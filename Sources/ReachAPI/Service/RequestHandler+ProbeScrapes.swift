// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import HTTPServer
import Probing
import Synchronization

/// One probe for a Prometheus multi-target scrape, as blackbox_exporter answers it.
extension RequestHandler {
    /// The module that is meant when none is named: blackbox_exporter's.
    static let standardModule = "http_2xx"
    /// How much earlier than the scraper's patience a probe ends, in seconds: the answer has to come in time.
    static let timeoutOffset = 0.5
    /// How patient whoever does not say it is taken to be, in seconds: blackbox_exporter's number.
    static let standardPatience = 120.0
    /// The longest timeout that settings may name: more patience than that is not needed.
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
        // A page elsewhere must not make us ask around; where there are tokens it has none.
        if rules.tokens.isEmpty, WriteRule(hosts: settings.hosts, isOpenToAll: true).refusal(of: request) != nil {
            probeScrapes.refused()
            return Problem(kind: .forbidden, detail: "Nobody is asked for pages of other sites.").response
        }
        let headers = wantsLog ? Self.logHeaders : Self.metricsHeaders(format)
        if isHead { return HTTPResponse(status: 200, headers: headers) }
        guard let probes else {
            return Problem(kind: .notImplemented, detail: "Nobody runs probes here.").response
        }
        guard probeScrapes.begin() else {
            let detail = "\(ProbeScrapes.limit) probes are on their way already."
            return Problem(kind: .overloaded, detail: detail, headers: [HTTPHeader("Retry-After", "1")]).response
        }
        return respond(to: request) { [weak self] answer in
            probes.ask(question.request) { result in
                self?.probeScrapes.end(result)
                guard let result else {
                    return answer(Problem(kind: .overloaded, detail: "The service is ending.").response)
                }
                // Whom it may ask is the policy's to say, which looks at names' addresses and redirects too.
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

    // MARK: The question

    private func unknownModule(_ name: String) -> HTTPResponse {
        let known = modules.withLock { $0.keys.sorted() }
        let hint = NearestName.find(name, among: known).map { "Did you mean `\($0)`?" }
        let none = known.isEmpty ? "The configuration declares none (`probe_modules`)." : nil
        return Problem(kind: .unknownModule, detail: none ?? hint).response
    }

    /// What is to be asked whom; nil with a fault in the reader.
    private func question(
        _ module: ProbeModule,
        _ request: HTTPRequest,
        _ reader: inout QueryReader
    ) -> ProbeQuestion? {
        guard let text = reader.one("target"), !text.isEmpty else {
            reader.fault("target", "Whom to ask is missing.")
            return nil
        }
        do throws(ProbeTargetError) {
            // As blackbox_exporter has it, an empty one is as good as none.
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

    /// What the scraper's patience leaves room for, and no more than the module says, if it does; nil when the scraper's words
    /// make no sense.
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
