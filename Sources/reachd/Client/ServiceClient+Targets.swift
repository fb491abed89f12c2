// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Asking
import Configuration
import Schema

extension ServiceClient {
    /// What was meant with an id that no target has, or which there are: the end of a sentence.
    ///
    /// - Throws: ``ExitStatus``, after it said why.
    func hint(near id: String) throws -> String {
        let list = try document("/targets?fields=id&limit=\(Self.pageSize)").document
        let ids = list["targets"]?.elements?.compactMap { $0["id"]?.text } ?? []
        if let near = NearestName.of(id, among: ids) { return "; did you mean \(near)?" }
        guard !ids.isEmpty else { return "; there are no targets" }
        let shown = ids.prefix(8).joined(separator: ", ")
        return "; there \(ids.count == 1 ? "is" : "are") \(shown)" + (ids.count > 8 ? " and \(ids.count - 8) more" : "")
    }

    /// Says on the standard error which of these ids no target has: it may come, or be a slip.
    ///
    /// - Throws: ``ExitStatus``, after it said why.
    func warnOfAbsent(_ ids: [String]) throws {
        for id in ids {
            let answer = try get("/targets/" + URLQuery.encode(id), accepting: [200, 400, 404])
            guard answer.status != 200 else { continue }
            let words = "there is no target \(id) yet\(try hint(near: id))"
            StandardStream.error.write(line: "reachd: \(TerminalText.safe(words))")
        }
    }
}
