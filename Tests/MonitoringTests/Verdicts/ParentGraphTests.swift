// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import TestSupport
import Testing

@Suite("Dependencies between targets")
struct ParentGraphTests {
    @Test("Parents precede their children; otherwise the order is kept")
    func order() throws {
        let graph = try ParentGraph([
            ("web", ["switch", "dns"]), ("dns", ["router"]), ("router", []), ("switch", ["router", "router"]),
            ("lone", []),
        ])
        #expect(graph.order == ["router", "lone", "dns", "switch", "web"])
        #expect(graph.parents(of: "web") == ["switch", "dns"])
        #expect(graph.parents(of: "switch") == ["router"])
        #expect(graph.children(of: "router") == ["dns", "switch"])
        #expect(graph.descendants(of: "router") == ["dns", "switch", "web"])
        #expect(graph.descendants(of: "web").isEmpty)
        #expect(graph.children(of: "nobody").isEmpty)
        #expect(ParentGraph().order.isEmpty)
    }

    @Test("The first unusable parent is the cause")
    func blame() throws {
        let graph = try ParentGraph([("web", ["switch", "dns"]), ("dns", []), ("switch", [])])
        #expect(graph.blockingParent(of: "web") { $0 != "dns" } == "dns")
        #expect(graph.blockingParent(of: "web") { _ in false } == "switch")
        #expect(graph.blockingParent(of: "web") { _ in true } == nil)
        #expect(graph.blockingParent(of: "dns") { _ in false } == nil)
    }

    @Test("An unknown parent is refused")
    func unknown() {
        let error = #expect(throws: ParentGraphError.self) { try ParentGraph([("web", ["router"])]) }
        #expect(error == .unknownParent(target: "web", parent: "router"))
        #expect(error?.description == "web depends on router, which does not exist.")
    }

    @Test("A cycle is reported without targets that only lead to it or depend on it")
    func cycles() {
        let error = #expect(throws: ParentGraphError.self) {
            try ParentGraph([
                ("leaf", ["a"]), ("a", ["b"]), ("b", ["root", "c"]), ("c", ["a"]), ("root", []),
            ])
        }
        #expect(error == .cycle(["a", "b", "c"]))
        #expect(error?.description == "A cycle: a depends on b depends on c depends on a.")
        let own = #expect(throws: ParentGraphError.self) { try ParentGraph([("a", ["a"])]) }
        #expect(own == .cycle(["a"]))
        #expect(own?.description == "A cycle: a depends on a.")
    }

    @Test("A chain or a cycle of 20,000 does not overflow the stack")
    func chain() throws {
        let count = 20_000
        var targets = (0..<count).map { (id: "\($0)", dependsOn: $0 == 0 ? [] : ["\($0 - 1)"]) }
        let graph = try ParentGraph(targets)
        #expect(graph.order == (0..<count).map(String.init))
        #expect(graph.descendants(of: "0").count == count - 1)
        targets[0].dependsOn = ["\(count - 1)"]
        do {
            _ = try ParentGraph(targets)
            Issue.record("accepted")
        } catch {
            guard case .cycle(let members) = error else {
                Issue.record("\(error)")
                return
            }
            #expect(members.count == count)
        }
    }

    @Test("Random graphs: every reported order and cycle is correct")
    func random() {
        var generator = SeededGenerator(seed: 3)
        var refused = 0
        for _ in 0..<500 {
            let count = Int.random(in: 1...12, using: &generator)
            let targets = (0..<count).map { target in
                let parents = (0..<Int.random(in: 0...2, using: &generator)).map { _ in
                    "\(Int.random(in: 0..<count, using: &generator))"
                }
                return (id: "\(target)", dependsOn: generator.once(in: 2) ? parents : [])
            }
            let parents = Dictionary(uniqueKeysWithValues: targets.map { ($0.id, $0.dependsOn) })
            do {
                let graph = try ParentGraph(targets)
                #expect(Set(graph.order) == Set(parents.keys))
                for (place, id) in graph.order.enumerated() {
                    #expect(Set(parents[id, default: []]).isSubset(of: graph.order[..<place]))
                }
            } catch {
                refused += 1
                guard case .cycle(let members) = error else {
                    Issue.record("\(error)")
                    return
                }
                #expect(Set(members).count == members.count)
                for (id, parent) in zip(members, members.dropFirst() + members.prefix(1)) {
                    #expect(parents[id, default: []].contains(parent))
                }
            }
        }
        #expect((50...450).contains(refused))
    }
}
