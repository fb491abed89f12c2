// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
package import Probing

/// A receiver at a messaging service.
package struct ServiceSettings: Sendable, Hashable {
    /// The service's name (``MessagingService``).
    package let service: String
    /// Where to and how; without `urlFile` its URL is the server's. Method, headers, body and expectations are not meant.
    package var request: HTTPProbeSettings
    /// The file whose only line is the URL; nil: the request has it.
    package var urlFile: String?
    /// The values of the service's own keys, by name.
    package var texts: [String: String] = [:]
    /// How long a try may take.
    package var timeout: Duration = .seconds(10)
    /// The URL of reachd's page, for links; nil for none.
    package var externalURL: String?

    /// Creates settings; everything but the service and the request has a default.
    package init(service: String, request: HTTPProbeSettings) {
        self.service = service
        self.request = request
    }
}

/// A request that a service takes.
struct ServiceRequest: Sendable {
    let url: HTTPURL
    var method = "POST"
    var headers: [(name: String, value: String)] = []
    var contentType = "application/json"
    let body: [UInt8]
}

/// What a service makes a request of besides the message: its keys and its secrets. On the loop's thread.
struct ServiceDraft {
    private let settings: ServiceSettings
    private let secrets: SecretFiles

    init(_ settings: ServiceSettings, secrets: SecretFiles) {
        self.settings = settings
        self.secrets = secrets
    }

    /// The value of a key; nil for none.
    func text(_ key: String) -> String? { settings.texts[key] }

    /// The only line of the file that a key names; nil without the key.
    func secret(_ key: String) throws(ProbeFault) -> String? {
        guard let path = settings.texts[key] else { return nil }
        return try secrets.read(path)
    }

    /// The URL of the server, or the secret one.
    ///
    /// - Parameter path: added to it; its parts are escaped.
    func url(_ path: String = "") throws(ProbeFault) -> HTTPURL {
        var text = settings.request.url.text
        if let file = settings.urlFile { text = try secrets.read(file) }
        if !path.isEmpty, text.hasSuffix("/") { text.removeLast() }
        do throws(HTTPURLError) {
            return try HTTPURL(text + path)
        } catch {
            // The text may be a secret.
            let source = settings.urlFile.map { "the line of \($0)" } ?? "the URL"
            throw ProbeFault(reason: .invalidRequest, detail: "\(source) is not a URL")
        }
    }
}

extension MessagingService {
    /// Makes the request for a message.
    ///
    /// - Throws: why there is none, such as a file that cannot be read.
    static func request(
        _ message: Message,
        to settings: ServiceSettings,
        secrets: SecretFiles
    ) throws(ProbeFault) -> ServiceRequest {
        guard let service = named(settings.service) else {
            throw ProbeFault(reason: .invalidRequest, detail: "there is no service \(settings.service)")
        }
        let card = MessageCard(message, externalURL: settings.externalURL)
        return try service.request(card, ServiceDraft(settings, secrets: secrets))
    }
}
