// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema
import Testing

@testable import Configuration

@Suite("Texts of several YAML documents") struct DocumentTests {
    private func read(_ text: String, _ documents: Int = 3, nodes: Int = 100) throws(YAMLError) -> [YAMLNode] {
        var limits = YAMLLimits()
        limits.nodes = nodes
        return try YAMLReader.read(Array(text.utf8), limits: limits, documents: documents)
    }

    @Test("each document is read, with positions in the whole text and anchors of its own")
    func documents() throws {
        let roots = try read("a: &x 1\n---\nb: &x 2\nc: *x\n---\nd: 4\n")
        #expect(roots.count == 3 && roots[1]["c"]?.text == "2")
        #expect(roots[2]["d"]?.position == YAMLPosition(line: 6, column: 4))
        #expect(try read("").isEmpty && read("--- # nothing\n").count == 1)
        let fault = #expect(throws: YAMLError.self) { try read("a: &x 1\n---\nb: *x\n") }
        #expect(fault?.code == .unknownAnchor)
    }

    @Test("the number of documents and of all their nodes is limited")
    func limits() throws {
        let fault = #expect(throws: YAMLError.self) { try read("a\n---\nb\n---\nc\n---\nd\n") }
        #expect(fault?.code == .severalDocuments && fault?.position.line == 6)
        let large = #expect(throws: YAMLError.self) { try read("[ 1, 2 ]\n---\n[ 3, 4 ]\n", nodes: 5) }
        #expect(large?.code == .tooLarge)
    }
}
