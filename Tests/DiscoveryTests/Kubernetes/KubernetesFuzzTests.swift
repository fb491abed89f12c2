// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import JSON
import Schema
import TestSupport
import Testing

@testable import Discovery

@Suite("Kubernetes: random input")
struct KubernetesFuzzTests {
    private typealias Objects = RecordedObjects

    private static let pieces = [
        "{", "}", "[", "]", ":", ",", "\"", "\\", "\\ud83d", "0", "-", "1e999", "true", "null", " ", "\n", "\u{0}", "é",
        "\"metadata\"", "\"spec\"", "\"items\"", "\"rules\"", "\"host\"", "\"ports\"", "\"annotations\"", "\"type\"",
        "\"ADDED\"", "\"ERROR\"", "\"object\"", "\"reachd.io/url\"", "\"reachd.io/probe\"", "\"addresses\"",
        "\"paths\"",
    ]

    private static func mutate(_ text: String, _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 0...2, using: &generator) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes.removeSubrange(place..<min(bytes.count, place + 9))
            case 2: bytes.insert(contentsOf: bytes[..<place].suffix(40), at: place)
            default: bytes.insert(contentsOf: (pieces.randomElement(using: &generator) ?? "").utf8, at: place)
            }
        }
        return bytes
    }

    @Test("3,000 damaged lists and events make only valid targets", arguments: 0..<3 as Range<UInt64>)
    func objects(seed: UInt64) {
        var generator = SeededGenerator(seed: seed &* 104_729 + 5)
        let annotations = #""reachd.io/monitor":"true","reachd.io/name":"N","reachd.io/url":"https://example.org/""#
        let objects: [(KubernetesResource, String)] = [
            (.ingress, Objects.ingress()), (.ingress, Objects.ingress(annotations: annotations)),
            (.httpRoute, Objects.route()), (.node, Objects.node()),
            (.service, Objects.service(spec: #"{"ports":[{"name":"http","port":80},{"port":81,"protocol":"UDP"}]}"#)),
        ]
        var settings = KubernetesSettings()
        settings.monitorsAll = true
        settings.labels = ["app.kubernetes.io/name"]
        var made = 0
        var failures = 0
        for number in 0..<1_000 {
            let (resource, object) = objects[number % objects.count]
            let reader = KubernetesObjectReader(resource: resource, labels: Set(settings.labels))
            let targets = KubernetesTargets(of: resource, settings)
            var found: [KubernetesObject] = []
            do throws(JSONError) {
                if number.isMultiple(of: 2) {
                    found = try KubernetesListPage(Self.mutate(Objects.list([object]), &generator), reader).objects
                } else if case .present(let object) = try KubernetesWatchEvent(
                    Self.mutate(Objects.event("ADDED", object), &generator),
                    reader
                ) {
                    found = [object]
                }
            } catch {
                failures += 1
            }
            for finding in found.compactMap(targets.finding) {
                made += finding.targets.count
                #expect(finding.size < 100_000 && finding.notes.count <= 8)
                #expect(Set(finding.targets.map(\.id)).count == finding.targets.count)
                for target in finding.targets {
                    #expect(TextForm.isIdentifier(target.id))
                    #expect(target.address.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "\(target.address)")
                }
            }
        }
        #expect(made > 100 && failures > 100, "\(made) \(failures)")
    }

    @Test("lines are the same however the stream is cut", arguments: 0..<3 as Range<UInt64>)
    func lines(seed: UInt64) {
        var generator = SeededGenerator(seed: seed &* 15_485_863 + 11)
        let text = (0..<200).map { number in
            String(repeating: "x", count: Int.random(in: 0...90, using: &generator)) + "\(number)\n"
        }.joined()
        let expected = text.split(separator: "\n").map { Array($0.utf8) }
        var reader = KubernetesWatchLines()
        var rest = Array(text.utf8)[...]
        var lines: [[UInt8]] = []
        while !rest.isEmpty {
            let count = Int.random(in: 1...200, using: &generator)
            lines += reader.take(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        #expect(lines == expected && !reader.isTooLong)
    }

    @Test("a line beyond the limit ends the stream and is not kept")
    func longLine() {
        var reader = KubernetesWatchLines()
        let chunk = [UInt8](repeating: 0x61, count: 1 << 20)
        let lines = ([chunk, chunk, chunk, chunk, [0x0A]]).map { reader.take($0) }
        #expect(!reader.isTooLong)
        #expect(lines.map(\.count) == [0, 0, 0, 0, 1] && lines[4][0].count == KubernetesWatchLines.limit)
        let rest = ([chunk, chunk, chunk, chunk, chunk, Array("{}\n".utf8)]).flatMap { reader.take($0) }
        #expect(rest.isEmpty && reader.isTooLong)
    }

    @Test("the objects of a page are bounded, however small they are")
    func count() throws {
        let reader = KubernetesObjectReader(resource: .ingress, labels: [])
        func page(_ count: Int) throws -> KubernetesListPage {
            let objects = repeatElement("{}", count: count).joined(separator: ",")
            return try KubernetesListPage(Array("{\"items\":[\(objects)]}".utf8), reader)
        }
        #expect(try page(50_000).objects.count == 50_000)
        #expect(throws: JSONError.self) { try page(50_001) }
    }

    @Test("depth is bounded")
    func depth() {
        let reader = KubernetesObjectReader(resource: .ingress, labels: [])
        for text in [String(repeating: "[", count: 100_000), String(repeating: "{\"spec\":", count: 100_000)] {
            #expect(throws: JSONError.self) { try KubernetesListPage(Array("{\"items\":[\(text)".utf8), reader) }
            #expect(throws: JSONError.self) {
                try KubernetesWatchEvent(Array("{\"type\":\"ADDED\",\"object\":\(text)".utf8), reader)
            }
        }
    }
}
