// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Fleet

/// The problems that this node notified receivers of while it was cut off, by receiver, until the fleet has them. The event log's file
/// stores them beside the offsets, so that a restart forgets none.
struct CarriedProblems: Sendable {
    /// How many are handed over at once.
    static let limit = 4_096
    /// No receiver's name has a space.
    private static let prefix = "cut off: "

    private(set) var problems: [String: OpenProblems] = [:]

    /// Whether an offset's name in the file is one of these.
    static func isKey(_ name: String) -> Bool { name.hasPrefix(prefix) }

    /// Takes in what the file has.
    mutating func load(_ marks: [String: String]) {
        for (name, text) in marks where Self.isKey(name) {
            guard let open = ReceiverOffset(text)?.open else { continue }
            for (target, problem) in open.problems {
                add(problem, of: target, to: String(name.dropFirst(Self.prefix.count)))
            }
        }
    }

    /// The name and the value of a receiver's problems in the file; a value of nil when there are none.
    func mark(of receiver: String) -> (name: String, value: String?) {
        let value = problems[receiver].map { ReceiverOffset(mark: ConsumerOffset(floor: 0), open: $0).description }
        return (Self.prefix + receiver, value)
    }

    /// Takes in what a receiver was notified of.
    mutating func take(_ notified: [OpenProblems.Replacement], of receiver: String) {
        for change in notified {
            if let problem = change.problem {
                add(problem, of: change.target, to: receiver)
            } else {
                remove(change.target, of: receiver)
            }
        }
    }

    /// The next ones to hand over.
    var next: [CarriedProblem] {
        let all = problems.sorted { $0.key < $1.key }.lazy.flatMap { receiver, open in
            open.problems.sorted { $0.key < $1.key }.map { target, problem in
                CarriedProblem(receiver: receiver, target: target, state: problem.state)
            }
        }
        return Array(all.prefix(Self.limit))
    }

    mutating func remove(_ target: String, of receiver: String) {
        problems[receiver]?.remove(target)
        if problems[receiver]?.problems.isEmpty == true { problems[receiver] = nil }
    }

    private mutating func add(_ problem: OpenProblems.Problem, of target: String, to receiver: String) {
        _ = problems[receiver, default: OpenProblems()].replace(target, with: problem)
    }
}
