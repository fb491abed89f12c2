// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO
import Monitoring
import NetworkPaths
import Probing
import ServerTrust

/// Makes requests to receivers, with the machinery of `http` probes: its look-ups, its TLS, its reasons. On the loop's thread.
///
/// Each request has a connection of its own, and no redirect is followed: a message goes where the configuration says.
final class MessageSender {
    /// Where and how a receiver takes messages.
    enum Route {
        case http(HTTPRoute)
        case mail(MailSettings)
    }

    /// Where and how a receiver takes requests.
    struct HTTPRoute {
        var request: HTTPProbeSettings
        var headerFiles: [String: String] = [:]
        var timeout: Duration
        var contentType = "application/json"
        var secretFile: String?
        /// The service that makes the request of a message; nil: the delivery has the body.
        var service: ServiceSettings?
    }

    private let runner: ProbeRunner
    private let clock: any WallClock
    private let secrets = SecretFiles()

    init(runner: ProbeRunner, clock: any WallClock) {
        self.runner = runner
        self.clock = clock
    }

    /// Makes a request.
    ///
    /// - Parameter completion: Gets what came of it, once and later; not after the run was cancelled.
    /// - Returns: The means to end it; nil when it could not be created, which the completion reports.
    func send(_ delivery: Delivery, to route: Route, completion: @escaping (SendOutcome) -> Void) -> ProbeRun? {
        switch (route, delivery.content) {
        case (_, .invalid(let failure)):
            // Another attempt makes the same of the message.
            completion(.refused(failure))
            return nil
        case (.http(let route), _): return send(delivery, to: route, completion: completion)
        case (.mail(let settings), .mail(let mail)): return send(mail, to: settings, completion: completion)
        case (.mail, _):
            let failure = DeliveryFailure(code: "invalid_request", detail: "the receiver takes only mail")
            completion(.failed(failure, retryAfter: nil))
            return nil
        }
    }

    private func send(
        _ mail: Mail,
        to settings: MailSettings,
        completion: @escaping (SendOutcome) -> Void
    ) -> ProbeRun? {
        let password: String?
        do throws(ProbeFault) {
            password = try settings.server.login.map { login throws(ProbeFault) in try secrets.read(login.passwordFile)
            }
        } catch {
            completion(.failed(DeliveryFailure(code: error.reason.rawValue, detail: error.detail), retryAfter: nil))
            return nil
        }
        return runner.send(mail, to: settings.server, password: password, timeout: settings.timeout) { result, reply in
            if result.reason == .cancelled { return }
            completion(SendOutcome(result, reply))
        }
    }

    private func send(
        _ delivery: Delivery,
        to route: HTTPRoute,
        completion: @escaping (SendOutcome) -> Void
    ) -> ProbeRun? {
        let settings: HTTPProbeSettings
        do throws(ProbeFault) {
            settings = try request(delivery, route)
        } catch {
            completion(.failed(DeliveryFailure(code: error.reason.rawValue, detail: error.detail), retryAfter: nil))
            return nil
        }
        let host = IPAddress(settings.url.host).map(ProbeHost.address) ?? .name(settings.url.host)
        let probe = ProbeRequest(
            host: host,
            kind: .http(settings),
            timeout: route.timeout,
            interface: settings.url.interface
        )
        return runner.start(probe) { [clock] result in
            if result.reason == .cancelled { return }
            completion(Self.outcome(of: result, now: clock.now()))
        }
    }

    private func request(_ delivery: Delivery, _ route: HTTPRoute) throws(ProbeFault) -> HTTPProbeSettings {
        var settings = route.request
        // A service has no use for the headers of reachd.
        var own: [(name: String, value: String)]
        switch delivery.content {
        case .body(let body, let url):
            settings.body = body
            settings.url = url ?? settings.url
            own = [("Content-Type", route.contentType), ("Reachd-Attempt", "\(delivery.attempt)")]
            if let id = delivery.id { own.append(("Reachd-Id", id)) }
        case .message(let message):
            guard let service = route.service else {
                throw ProbeFault(reason: .invalidRequest, detail: "the receiver takes no messages of this form")
            }
            let request = try MessagingService.request(message, to: service, secrets: secrets)
            (settings.url, settings.method, settings.body) = (request.url, request.method, request.body)
            own = [("Content-Type", request.contentType)] + request.headers
        case .mail, .invalid: throw ProbeFault(reason: .invalidRequest, detail: "the receiver takes no mail")
        }
        settings.redirects = 0
        settings.bodyLimit = 64 << 10
        settings.acceptsCompression = false
        // Every answer is one; what it means is decided here.
        settings.expectation = HTTPExpectation(statuses: HTTPStatusRanges(ranges: [100...999]))
        for (name, file) in route.headerFiles.sorted(by: { $0.key < $1.key }) {
            own.append((name, try secrets.read(file)))
        }
        if let file = route.secretFile {
            let time = clock.now().milliseconds / 1000
            guard
                let value = MessageSignature.value(
                    body: settings.body ?? [],
                    secret: Array(try secrets.read(file).utf8),
                    time: time
                )
            else { throw ProbeFault(reason: .outOfMemory, detail: "no memory for a signature") }
            own.append((MessageSignature.header, value))
        }
        for (name, value) in own {
            settings.headers.removeAll { $0.name.lowercased() == name.lowercased() && name != "Content-Type" }
            if name == "Content-Type", settings.headers.contains(where: { $0.name.lowercased() == "content-type" }) {
                continue
            }
            guard let header = HTTPHeader(name: name, value: value) else {
                throw ProbeFault(reason: .invalidRequest, detail: "the value of \(name) cannot be sent in a header")
            }
            settings.headers.append(header)
        }
        return settings
    }

    static func outcome(of result: ProbeResult, now: Timestamp) -> SendOutcome {
        if result.outcome != .failure, let answer = result.http {
            let wish = answer.retryAfter.flatMap { RetryAfter.seconds($0, now: now) }
            return SendOutcome(status: answer.status, retryAfter: wish)
        }
        let code = result.reason?.rawValue ?? "system_error"
        return .failed(DeliveryFailure(code: code, detail: result.detail), retryAfter: nil)
    }
}

extension ReceiverSettings.Channel {
    /// Where and how.
    var route: MessageSender.Route {
        switch self {
        case .webhook(let settings):
            .http(
                MessageSender.HTTPRoute(
                    request: settings.request,
                    headerFiles: settings.headerFiles,
                    timeout: settings.timeout,
                    contentType: settings.contentType,
                    secretFile: settings.secretFile
                )
            )
        case .alertmanager(let settings):
            .http(
                MessageSender.HTTPRoute(
                    request: settings.request,
                    headerFiles: settings.headerFiles,
                    timeout: settings.timeout
                )
            )
        case .service(let settings):
            .http(
                MessageSender.HTTPRoute(request: settings.request, timeout: settings.timeout, service: settings)
            )
        case .email(let settings): .mail(settings)
        }
    }

    /// What is sent of a message. An Alertmanager takes only test messages, as an alert that ends after a minute.
    func content(of message: Message) -> Delivery.Content {
        switch self {
        case .webhook(let settings): content(of: message, settings)
        case .alertmanager(let settings): .body(Alert.testBody(at: message.at, settings: settings))
        case .service: .message(message)
        case .email(let settings):
            .mail(
                Mail(
                    sender: settings.from,
                    recipients: settings.to,
                    content: MailMessage(message, to: settings).content
                )
            )
        }
    }

    private func content(of message: Message, _ settings: WebhookSettings) -> Delivery.Content {
        let body =
            settings.template?.render(message, externalURL: settings.externalURL) ?? MessageBody.render(message)
        guard let template = settings.urlTemplate else { return .body(body) }
        guard let url = template.render(message, externalURL: settings.externalURL) else {
            let detail = "the template of the URL makes no valid URL of the message"
            return .invalid(DeliveryFailure(code: "invalid_request", detail: detail))
        }
        return .body(body, url: url)
    }
}

/// How a receiver knows that a message is ours: HMAC-SHA256 (RFC 2104) over the time and the body.
///
/// The header `Reachd-Signature: t=SECONDS,v1=HEX` has the time of sending, in seconds since 1970, and the code over
/// `SECONDS`, a full stop and the body's bytes. The receiver computes the same code, compares both in constant time, and
/// refuses a time that is more than a few minutes off.
enum MessageSignature {
    static let header = "Reachd-Signature"

    /// The header's value; nil when there is no memory.
    static func value(body: [UInt8], secret: [UInt8], time: Int64) -> String? {
        code(of: Array("\(time).".utf8) + body, key: secret).map { "t=\(time),v1=\(PrintableBytes.hexadecimal($0))" }
    }

    /// HMAC-SHA256.
    static func code(of bytes: [UInt8], key: [UInt8]) -> [UInt8]? {
        let blockSize = 64
        guard var block = key.count > blockSize ? SHA256.digest(of: key) : key else { return nil }
        block += [UInt8](repeating: 0, count: blockSize - block.count)
        guard let inner = SHA256.digest(of: block.map { $0 ^ 0x36 } + bytes) else { return nil }
        return SHA256.digest(of: block.map { $0 ^ 0x5C } + inner)
    }
}

/// The header `Retry-After` (RFC 9110, section 10.2.3).
enum RetryAfter {
    /// Seconds from now on; nil for a text that is neither a number nor a date.
    static func seconds(_ text: String, now: Timestamp) -> UInt64? {
        if let number = UInt64(text), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return number }
        guard let moment = HTTPMoment(Array(text.utf8)) else { return nil }
        return UInt64(max(0, moment.seconds - now.milliseconds / 1000))
    }
}
