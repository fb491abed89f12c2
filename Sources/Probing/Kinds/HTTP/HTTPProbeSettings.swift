// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// An HTTP request, and the expected response.
///
/// The host to connect to is ``ProbeRequest/host``: usually the URL's, but one of several servers that share a name can
/// be probed by its address. With a proxy, only the proxy is resolved and connected to.
package struct HTTPProbeSettings: Sendable, Hashable {
    /// The URL.
    package var url: HTTPURL
    /// The method, such as `GET`.
    package var method: String
    /// The headers. A header replaces libcurl's of the same name; an empty value suppresses it.
    package var headers: [HTTPHeader]
    /// The body; nil for none.
    package var body: [UInt8]?
    /// The HTTP version.
    package var version: HTTPVersion
    /// The maximum number of redirects to follow; with 0 the redirect itself is the response.
    ///
    /// A redirect's host is resolved by the target's resolver. A redirect to another host, port or scheme receives no
    /// credentials; protocols other than http and https are refused.
    package var redirects: Int
    /// The proxy; nil for none.
    package var proxy: HTTPProxy?
    /// The TLS settings for `https`; the offered ALPN protocols follow from ``version``. Another host, port or scheme
    /// receives no client certificate, and is verified by its own name.
    package var tls: TLSSettings
    /// The credentials; nil for none.
    package var credentials: HTTPCredentials?
    /// Whether the server may compress the body.
    package var acceptsCompression: Bool
    /// The maximum number of body bytes to read, after decompression. A larger body is truncated, which is a failure
    /// only with ``HTTPExpectation/refusesLargerBody``.
    package var bodyLimit: Int
    /// The expectations for the response.
    package var expectation: HTTPExpectation

    /// Creates settings; everything but the URL has a default.
    package init(
        url: HTTPURL,
        method: String = "GET",
        headers: [HTTPHeader] = [],
        body: [UInt8]? = nil,
        version: HTTPVersion = .any,
        redirects: Int = 0,
        proxy: HTTPProxy? = nil,
        tls: TLSSettings = TLSSettings(),
        credentials: HTTPCredentials? = nil,
        acceptsCompression: Bool = true,
        bodyLimit: Int = 1 << 20,
        expectation: HTTPExpectation = HTTPExpectation()
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
        self.version = version
        self.redirects = redirects
        self.proxy = proxy
        self.tls = tls
        self.credentials = credentials
        self.acceptsCompression = acceptsCompression
        self.bodyLimit = bodyLimit
        self.expectation = expectation
    }
}

extension HTTPProbeSettings: ProbeSettings {
    static let description = ProbeKindDescription(
        "http",
        synonyms: ["https", "web"],
        title: "a URL responds as expected",
        schemes: ["http", "https"],
        policies: ["http", "https"],
        port: .url,
        fields: HTTPFields.probe.fields(of: sample),
        expectations: HTTPFields.expectation.fields(of: HTTPExpectation()) + ExpiryBounds.fields,
        answer: HTTPAnswer.self
    )

    /// Settings with all defaults.
    package static let sample = Self(url: HTTPURL(isSecure: false, host: "localhost", port: 80, target: "/"))

    init?(_ declaration: inout ProbeDeclaration) {
        guard let url = declaration.url() else { return nil }
        let object = declaration.object
        self.init(url: url)
        HTTPFields.probe.read(object, into: &self)
        if !method.utf8.allSatisfy({ (0x41...0x5a).contains($0) || $0 == UInt8(ascii: "-") }) {
            declaration.complain(.invalidValue, at: "method", "it is not a method", hint: "write GET, HEAD, POST, …")
        }
        if object.has("url"), object.has("port") {
            declaration.complain(.conflict, at: "port", "the URL sets the port", hint: "write it in the URL")
        }
        headers = declaration.headers()
        body = object.text("body").map { Array($0.utf8) }
        proxy = declaration.proxy()
        tls = declaration.tls(url: url)
        credentials = declaration.credentials()
        if let expect = declaration.expectation { expectation = declaration.httpExpectation(expect) }
    }

    var askedPort: UInt16? { url.port }
    var policyKind: TargetPolicy.Kind { TargetPolicy.Kind(url.isSecure ? "https" : "http") }
    // A redirect may lead to https.
    var mayUseTLS: Bool { true }
    var proxyHost: ProbeHost? { proxy?.host }

    func asking(_ target: ProbeTarget, hasPort: Bool, hostname: String?) throws(ProbeTargetError) -> ProbeKind {
        var settings = self
        settings.url = try target.httpURL()
        if let hostname {
            guard let field = HTTPHeader(name: "Host", value: hostname) else {
                throw ProbeTargetError("cannot be probed with this hostname: it is not a valid header value")
            }
            settings.headers.removeAll { $0.name.lowercased() == "host" }
            settings.headers.append(field)
            if tls.serverName == nil { settings.tls.serverName = hostname }
        }
        return .http(settings)
    }

    func attempt(_ context: AttemptContext, _ services: ProbeServices) -> any ProbeAttempt {
        HTTPProbe(self, context, services.http)
    }
}

extension ProbeDeclaration {
    /// Returns the request headers.
    mutating func headers() -> [HTTPHeader] {
        object.labels("headers").sorted { $0.key < $1.key }.compactMap { name, value in
            let header = HTTPHeader(name: name, value: value)
            if header == nil {
                complain(.invalidValue, at: "headers", "\(name.quoted) is not a valid header")
            }
            return header
        }
    }

    fileprivate mutating func url() -> HTTPURL? {
        let written = object.text("url")
        let scheme = object.has("tls") ? "https" : "http"
        let name = host.description.contains(":") ? "[\(host)]" : "\(host)"
        let text = written ?? "\(scheme)://\(name)" + (givenPort.map { ":\($0)" } ?? "") + "/"
        do throws(HTTPURLError) {
            return try HTTPURL(text)
        } catch {
            let key = written == nil ? "type" : "url"
            complain(.invalidValue, at: key, "no URL can be made of it: \(error.message)")
            return nil
        }
    }

    fileprivate mutating func proxy() -> HTTPProxy? {
        guard let proxy = object.object("proxy"), let port = proxy.integer("port").flatMap(UInt16.init(exactly:)) else {
            return nil
        }
        let host: ProbeHost
        switch proxy["host"]?.value {
        case .host(let name, _): host = .name(name)
        case .address(let address, _): host = .address(address)
        default: return nil
        }
        if proxy.has("user") != proxy.has("password_file") {
            complain(.missingKey, at: "proxy", "user and password_file must be set together")
        }
        return HTTPProxy(host: host, port: port, user: proxy.text("user"), passwordFile: proxy.text("password_file"))
    }

    fileprivate mutating func credentials() -> HTTPCredentials? {
        guard let auth = object.object("auth") else { return nil }
        switch (auth.text("user"), auth.text("password_file"), auth.text("token_file")) {
        case (let user?, let file?, nil): return .basic(user: user, passwordFile: file)
        case (nil, nil, let file?): return .bearer(tokenFile: file)
        default:
            // An invalid one is reported already.
            guard !auth.hasFaults else { return nil }
            let hint = "write user and password_file, or token_file"
            complain(.conflict, at: "auth", "these keys are not valid credentials", hint: hint)
            return nil
        }
    }

    // MARK: Expectations

    fileprivate mutating func httpExpectation(_ expect: ValidatedMapping) -> HTTPExpectation {
        var expectation = HTTPExpectation()
        HTTPFields.expectation.read(expect, into: &expectation)
        if let text = expect.text("status") {
            if let statuses = HTTPStatusRanges(text) {
                expectation.statuses = statuses
            } else {
                let hint = "write 200-299,304"
                complain(
                    .invalidValue,
                    in: "expect",
                    at: "status",
                    "\(text.quoted) is not a list of statuses",
                    hint: hint
                )
            }
        }
        expectation.isSecure = expect.boolean("https")
        expectation.headers = expect.objects("headers").compactMap { header($0.object) }
        expectation.body += expect.texts("body_contains").map(HTTPBodyExpectation.contains)
        expectation.body += expect.texts("body_not_contains").map(HTTPBodyExpectation.doesNotContain)
        expectation.body += expect.specials("body_matches").map(HTTPBodyExpectation.matches)
        expectation.body += expect.specials("body_not_matches").map(HTTPBodyExpectation.doesNotMatch)
        expectation.json = expect.objects("json").compactMap { json($0.object) }
        return expectation
    }

    private mutating func header(_ header: ValidatedMapping) -> HTTPHeaderExpectation? {
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
            complain(
                .conflict,
                in: "expect",
                at: "headers",
                "present, matches and not_matches exclude each other"
            )
            return nil
        }
    }

    private mutating func json(_ value: ValidatedMapping) -> JSONExpectation? {
        guard let text = value.text("path") else { return nil }
        let path: JSONPath
        do throws(JSONPathError) {
            path = try JSONPath(text)
        } catch {
            complain(
                .invalidValue,
                in: "expect",
                at: "json",
                "\(text.quoted) is not a path: \(error.message)",
                hint: error.hint
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
            complain(
                .conflict,
                in: "expect",
                at: "json",
                "present, value and matches exclude each other"
            )
            return nil
        }
    }

    /// Parses a JSON value; other text becomes a string.
    private static func scalar(_ text: String) -> JSONScalar {
        switch text {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "null": return .null
        default: break
        }
        if let number = Double(text), number.isFinite { return .number(number) }
        if let structure = JSONStructure.text(text.utf8) { return .structure(structure) }
        let isQuoted = text.count >= 2 && text.hasPrefix("\"") && text.hasSuffix("\"")
        return .string(isQuoted ? String(text.dropFirst().dropLast()) : text)
    }
}

/// The credentials of a request. Secrets are in files and appear in no detail, description or result.
package enum HTTPCredentials: Sendable, Hashable {
    /// User name and password (RFC 7617); the file contains the password as its only line.
    case basic(user: String, passwordFile: String)
    /// A bearer token (RFC 6750); the file contains it as its only line.
    case bearer(tokenFile: String)
}

/// A proxy over plain HTTP: it receives requests for `http` URLs, and tunnels connections for `https` URLs (CONNECT).
package struct HTTPProxy: Sendable, Hashable {
    /// The proxy's host; a name is resolved by our resolver, like a target's.
    package var host: ProbeHost
    /// The proxy's port.
    package var port: UInt16
    /// The user name of basic authentication at the proxy.
    package var user: String?
    /// The file that contains the password as its only line.
    package var passwordFile: String?

    /// Creates a proxy.
    package init(host: ProbeHost, port: UInt16, user: String? = nil, passwordFile: String? = nil) {
        self.host = host
        self.port = port
        self.user = user
        self.passwordFile = passwordFile
    }
}
