// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Probing
import Schema

/// Makes the settings of probes that speak TLS, HTTP or gRPC of checked mappings.
struct ExchangeAssembler {
    let object: CheckedObject
    /// Whom the target is, for a URL that does not say.
    let host: ProbeHost
    let pinReader: PinReader

    // MARK: TLS

    func tls(url: HTTPURL? = nil, _ complaints: inout TargetComplaints) -> TLSSettings {
        TLSAssembler(object: object, pinReader: pinReader).assemble(url: url, &complaints)
    }

    var startTLS: StartTLSProtocol? { object.text("starttls").flatMap(StartTLSProtocol.init) }

    // MARK: HTTP

    func http(port: UInt16?, _ complaints: inout TargetComplaints) -> ProbeKind? {
        guard let url = url(port: port, &complaints) else { return nil }
        var settings = HTTPProbeSettings(url: url)
        settings.method = object.text("method") ?? "GET"
        if !settings.method.utf8.allSatisfy({ (0x41...0x5a).contains($0) || $0 == UInt8(ascii: "-") }) {
            let hint = "write GET, HEAD, POST, …"
            complaints.add(.invalidValue, in: "probe", at: "method", "it is no method", hint: hint)
        }
        if object.has("url"), object.has("port") {
            complaints.add(.conflict, in: "probe", at: "port", "the URL has the port", hint: "write it there")
        }
        settings.headers = headers(&complaints)
        settings.body = object.text("body").map { Array($0.utf8) }
        settings.version = object.text("http_version").flatMap(HTTPVersion.init) ?? .any
        settings.redirects = object.integer("redirects") ?? 0
        settings.proxy = proxy(&complaints)
        settings.tls = tls(url: url, &complaints)
        settings.credentials = credentials(&complaints)
        settings.acceptsCompression = object.boolean("compression") ?? true
        settings.bodyLimit = object.integer("body_limit") ?? settings.bodyLimit
        if let expect = object.object("expect") { settings.expectation = expectation(expect, &complaints) }
        return .http(settings)
    }

    func grpc(port: UInt16, _ complaints: inout TargetComplaints) -> ProbeKind {
        let tls = tls(&complaints)
        return .grpc(
            GRPCProbeSettings(
                port: port,
                tls: object.has("tls") ? tls : nil,
                service: object.text("service") ?? "",
                metadata: headers(&complaints),
                authority: object.text("authority")
            )
        )
    }

    private func headers(_ complaints: inout TargetComplaints) -> [HTTPHeader] {
        object.labels("headers").sorted { $0.key < $1.key }.compactMap { name, value in
            let header = HTTPHeader(name: name, value: value)
            if header == nil {
                complaints.add(.invalidValue, in: "probe", at: "headers", "\(name.quoted) cannot be sent as a header")
            }
            return header
        }
    }

    private func url(port: UInt16?, _ complaints: inout TargetComplaints) -> HTTPURL? {
        let written = object.text("url")
        let scheme = object.has("tls") ? "https" : "http"
        let name = host.description.contains(":") ? "[\(host)]" : "\(host)"
        let text = written ?? "\(scheme)://\(name)" + (port.map { ":\($0)" } ?? "") + "/"
        do throws(HTTPURLError) {
            return try HTTPURL(text)
        } catch {
            let key = written == nil ? "type" : "url"
            complaints.add(.invalidValue, in: "probe", at: key, "no URL can be made of it: \(error.message)")
            return nil
        }
    }

    private func proxy(_ complaints: inout TargetComplaints) -> HTTPProxy? {
        guard let proxy = object.object("proxy"), let port = proxy.integer("port").flatMap(UInt16.init(exactly:)) else {
            return nil
        }
        let host: ProbeHost
        switch proxy["host"]?.value {
        case .host(let name): host = .name(name)
        case .address(let address, _): host = .address(address)
        default: return nil
        }
        if proxy.has("user") != proxy.has("password_file") {
            complaints.add(.missingKey, in: "probe", at: "proxy", "user and password_file belong together")
        }
        return HTTPProxy(host: host, port: port, user: proxy.text("user"), passwordFile: proxy.text("password_file"))
    }

    private func credentials(_ complaints: inout TargetComplaints) -> HTTPCredentials? {
        guard let auth = object.object("auth") else { return nil }
        switch (auth.text("user"), auth.text("password_file"), auth.text("token_file")) {
        case (let user?, let file?, nil): return .basic(user: user, passwordFile: file)
        case (nil, nil, let file?): return .bearer(tokenFile: file)
        default:
            // One that is faulty was told already.
            guard !auth.hasFaults else { return nil }
            let hint = "write user and password_file, or token_file"
            complaints.add(.conflict, in: "probe", at: "auth", "these are no credentials", hint: hint)
            return nil
        }
    }

    // MARK: Expectations

    private func expectation(_ expect: CheckedObject, _ complaints: inout TargetComplaints) -> HTTPExpectation {
        var expectation = HTTPExpectation()
        if let text = expect.text("status") {
            if let statuses = HTTPStatusRanges(text) {
                expectation.statuses = statuses
            } else {
                let hint = "write 200-299,304"
                complaints.add(
                    .invalidValue,
                    in: "probe",
                    "expect",
                    at: "status",
                    "\(text.quoted) are no statuses",
                    hint: hint
                )
            }
        }
        expectation.headers = expect.objects("headers").compactMap { header($0.object, &complaints) }
        expectation.body += expect.texts("body_contains").map(HTTPBodyExpectation.contains)
        expectation.body += expect.texts("body_not_contains").map(HTTPBodyExpectation.doesNotContain)
        expectation.body += expect.specials("body_matches").map(HTTPBodyExpectation.matches)
        expectation.body += expect.specials("body_not_matches").map(HTTPBodyExpectation.doesNotMatch)
        expectation.json = expect.objects("json").compactMap { json($0.object, &complaints) }
        expectation.refusesLargerBody = expect.boolean("whole_body") ?? false
        return expectation
    }

    private func header(_ header: CheckedObject, _ complaints: inout TargetComplaints) -> HTTPHeaderExpectation? {
        guard let name = header.text("name") else { return nil }
        guard !["matches", "not_matches"].contains(where: header.isFaulty) else { return nil }
        let patterns = (
            header.special("matches", as: ProbePattern.self), header.special("not_matches", as: ProbePattern.self)
        )
        switch (header.boolean("present"), patterns.0, patterns.1) {
        case (let present?, nil, nil): return HTTPHeaderExpectation(name, present ? .present : .absent)
        case (nil, let pattern?, nil): return HTTPHeaderExpectation(name, .matches(pattern))
        case (nil, nil, let pattern?): return HTTPHeaderExpectation(name, .doesNotMatch(pattern))
        case (nil, nil, nil): return HTTPHeaderExpectation(name, .present)
        default:
            complaints.add(
                .conflict,
                in: "probe",
                "expect",
                at: "headers",
                "present, matches and not_matches exclude each other"
            )
            return nil
        }
    }

    private func json(_ value: CheckedObject, _ complaints: inout TargetComplaints) -> JSONExpectation? {
        guard let text = value.text("path") else { return nil }
        let path: JSONPath
        do throws(JSONPathError) {
            path = try JSONPath(text)
        } catch {
            complaints.add(
                .invalidValue,
                in: "probe",
                "expect",
                at: "json",
                "\(text.quoted) is no path: \(error.message)"
            )
            return nil
        }
        guard !value.isFaulty("matches") else { return nil }
        switch (value.boolean("present"), value.text("value"), value.special("matches", as: ProbePattern.self)) {
        case (let present?, nil, nil): return JSONExpectation(path, present ? .exists : .absent)
        case (nil, nil, let pattern?): return JSONExpectation(path, .matches(pattern))
        case (nil, let wanted?, nil):
            let comparison = value.text("is").flatMap(JSONComparison.init) ?? .equal
            return JSONExpectation(path, .compares(comparison, Self.scalar(wanted)))
        case (nil, nil, nil): return JSONExpectation(path, .exists)
        default:
            complaints.add(
                .conflict,
                in: "probe",
                "expect",
                at: "json",
                "present, value and matches exclude each other"
            )
            return nil
        }
    }

    /// A scalar as JSON writes it, or else a text.
    private static func scalar(_ text: String) -> JSONScalar {
        switch text {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "null": return .null
        default: break
        }
        if let number = Double(text), number.isFinite { return .number(number) }
        let isQuoted = text.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
        return .string(isQuoted ? String(text.dropFirst().dropLast()) : text)
    }
}
