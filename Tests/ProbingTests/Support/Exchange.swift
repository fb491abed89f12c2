// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Synchronization

/// An HTTP/1.1 server's side of requests: it notes them and gives each the next answer, then the last one again.
final class Exchange: Sendable {
    private struct State {
        var requests: [String] = []
        var received: [UInt8] = []
        /// What a location that is only known later is written as.
        var locations: [String: String] = [:]
    }

    private let answers: [String]
    private let state = Mutex(State())

    init(_ answers: String...) {
        self.answers = answers
    }

    /// A response with its length.
    static func response(_ status: String = "200 OK", _ headers: [String] = [], body: String = "") -> String {
        let lines = ["HTTP/1.1 \(status)"] + headers + ["Content-Length: \(body.utf8.count)"]
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
    }

    /// The requests so far, heads and bodies.
    var requests: [String] { state.withLock { $0.requests } }

    /// Says where a redirect to a stand-in leads.
    func redirect(_ standIn: String, to location: String) {
        state.withLock { $0.locations[standIn] = location }
    }

    /// What a peer does; a request is over when its length is reached.
    var behaviour: TestPeer.Behaviour {
        .answers { [self] bytes in
            state.withLock { state in
                state.received += bytes
                let text = String(decoding: state.received, as: UTF8.self)
                guard let end = text.range(of: "\r\n\r\n") else { return nil }
                let length = text[..<end.lowerBound].split(separator: "\r\n").lazy
                    .compactMap { line in
                        line.lowercased().hasPrefix("content-length: ") ? Int(line.dropFirst(16)) : nil
                    }.first
                guard text[end.upperBound...].utf8.count >= length ?? 0 else { return nil }
                state.received = []
                state.requests.append(text)
                let answer = answers[min(state.requests.count, answers.count) - 1]
                let lines = answer.split(separator: "\r\n", omittingEmptySubsequences: false).map { line in
                    guard line.hasPrefix("Location: "), let location = state.locations[String(line.dropFirst(10))]
                    else {
                        return String(line)
                    }
                    return "Location: \(location)"
                }
                return Array(lines.joined(separator: "\r\n").utf8)
            }
        }
    }
}

extension String {
    /// Foundation's, for one text.
    fileprivate func range(of text: String) -> Range<String.Index>? {
        let wanted = Array(text.utf8)
        let bytes = Array(utf8)
        guard bytes.count >= wanted.count,
            let start = (0...(bytes.count - wanted.count)).first(where: {
                Array(bytes[$0..<($0 + wanted.count)]) == wanted
            })
        else { return nil }
        let lower = utf8.index(utf8.startIndex, offsetBy: start)
        return lower..<utf8.index(lower, offsetBy: wanted.count)
    }
}
