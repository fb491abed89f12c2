// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import BlockingHTTP
import Glibc
import JSON
import LinuxIO
import Schema

/// Follows a service's events over restarts and broken connections.
final class WatchSession {
    /// The longest silence: the service sends a keep-alive every 15 seconds unless configured otherwise.
    private static let silence: Duration = .seconds(120)
    /// The pauses between connections, in milliseconds.
    private static let pauses = 200...30_000

    private let client: ServiceClient
    private let path: String
    private let line: WatchLine?
    private var digest: (any EventDigest)?
    private var lastID = ""
    private var pause = 1_000
    private var hasBegun = false

    /// - Parameters:
    ///   - line: How events look; nil for JSON.
    ///   - digest: Makes one line of what one cause did; nil for a line an event.
    init(client: ServiceClient, path: String, line: WatchLine?, digest: (any EventDigest)? = nil) {
        self.digest = digest
        self.client = client
        self.path = path
        self.line = line
    }

    /// Ends only when there is nothing at the start, or never.
    func run(since: String?) -> ExitStatus {
        lastID = since ?? ""
        var failures = 0
        while true {
            var reader = EventStreamReader(lastID: lastID)
            var hasHeard = false
            var words = "the stream ended"
            do throws(HTTPClientError) {
                let isSafe = lastID.utf8.allSatisfy { (0x21..<0x7F).contains($0) }
                let headers = lastID.isEmpty || !isSafe ? [] : ["Last-Event-ID: \(lastID)"]
                let answer = try client.stream(
                    path,
                    headers: headers,
                    silence: Self.silence,
                    idle: { [self] in settle() }
                ) {
                    [self] piece in
                    for event in reader.read(piece) {
                        if !hasHeard, hasBegun, failures > 0 { report("reconnected") }
                        (hasHeard, hasBegun, failures) = (true, true, 0)
                        take(event)
                    }
                    settle()
                    lastID = reader.lastID
                    if let retry = reader.retry {
                        pause = min(max(retry, Self.pauses.lowerBound), Self.pauses.upperBound)
                    }
                    return !reader.isTooLarge
                }
                if answer.status != 200 {
                    // A busy service is tried again; one that refuses is not.
                    guard hasBegun, answer.status >= 500 else { return client.complain(answer) }
                    words = "HTTP \(answer.status)"
                } else if reader.isTooLarge {
                    words = "an event is longer than \(EventStreamReader.eventLimit) bytes"
                }
            } catch {
                guard hasBegun else { return client.complain(error) }
                words = error.detail
            }
            guard hasBegun else {
                return CommandError.report("the server at \(client.place) sends no events", .protocolFault)
            }
            settle(isOver: true)
            if failures == 0 { report("lost the connection to \(client.place) (\(words)); retrying") }
            failures += 1
            let wait = min(
                Self.pauses.upperBound,
                failures == 1 ? Self.pauses.lowerBound : pause * (1 << min(failures - 2, 4))
            )
            _ = poll(nil, 0, Int32(wait))
        }
    }

    private func take(_ event: StreamEvent) {
        guard let data = try? JSONValue(reading: event.data) else {
            return report("skipped an event that is not JSON")
        }
        switch event.type {
        case "reset":
            let reason = data["reason"]?.words ?? "unknown"
            report("some events are no longer stored (\(reason)); continuing with the current state")
        case "lagged":
            report(
                "\(data["missed"]?.integer ?? 0) events were skipped: they arrived faster than this client read them"
            )
        case "snapshot": report(Self.summary(data))
        default: break
        }
        guard let line else {
            // Line feeds between data lines are blanks in JSON.
            let text = event.data.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
            let head = "{\"event\":\(JSONWriter.quoted(event.type)),\"id\":\(JSONWriter.quoted(event.id)),\"data\":"
            return StandardStream.output.write(json: Array(head.utf8) + text + [UInt8(ascii: "}")])
        }
        if let lines = digest?.take(event.type, data, now: SystemMonotonicClock().now()) {
            for text in lines { StandardStream.output.write(line: text) }
        } else if let text = line.text(event.type, data) {
            for text in TerminalText.wrapped(text, to: line.terminal.width) { StandardStream.output.write(line: text) }
        }
    }

    /// Prints what was gathered and whose time is over.
    ///
    /// - Parameter isOver: Whether nothing more comes for now.
    private func settle(isOver: Bool = false) {
        for text in digest?.settle(now: isOver ? .max : SystemMonotonicClock().now()) ?? [] {
            StandardStream.output.write(line: text)
        }
    }

    private func report(_ words: String) { StandardStream.error.write(line: "reachd: \(TerminalText.safe(words))") }

    /// A snapshot in a few words.
    private static func summary(_ snapshot: JSONValue) -> String {
        var counts: [String: Int] = [:]
        for target in snapshot["targets"]?.elements ?? [] {
            counts[target["state"]?.words ?? "unknown", default: 0] += 1
        }
        let words = counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        return "now: " + (words.isEmpty ? "no targets" : words)
    }
}
