// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Probing

/// Values of a JSON body, by their paths.
struct MessageReading {
    let body: String

    func text(_ path: String) -> String? {
        guard case .scalar(.string(let text)) = diagnosis(path) else { return nil }
        return text
    }

    func number(_ path: String) -> Int? {
        guard case .scalar(.number(let number)) = diagnosis(path) else { return nil }
        return Int(exactly: number)
    }

    var isJSON: Bool { diagnosis("$") != nil }

    /// The targets that it names, with what became of them.
    var targets: [(target: String, to: String, sequence: UInt64)] {
        if let target = text("$.target"), let to = text("$.to") { return [(target, to, sequence(text("$.id")))] }
        var found: [(String, String, UInt64)] = []
        while let target = text("$.targets[\(found.count)].target"), let to = text("$.targets[\(found.count)].to") {
            found.append((target, to, sequence(text("$.targets[\(found.count)].id"))))
        }
        return found
    }

    private func sequence(_ id: String?) -> UInt64 { id?.split(separator: "-").last.flatMap { UInt64($0) } ?? 0 }

    private func diagnosis(_ path: String) -> JSONMatch? {
        guard let path = try? JSONPath(path) else { return nil }
        return try? path.find(in: Array(body.utf8))
    }
}
