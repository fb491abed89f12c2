// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Testing

@testable import Fleet

@Suite("Targets that are decided again without a report")
struct ReevaluationQueueTests {
    private static func shards(_ numbers: Range<Int>) -> [Shard] { numbers.map { Shard(placement: 1, number: $0) } }

    @Test("A target is listed once, and again after it was taken")
    func targets() {
        var queue = ReevaluationQueue()
        queue.add(targets: ["a", "b", "a"])
        #expect(queue.takeTargets(1) == ["a"])
        queue.add(targets: ["a", "b"])
        #expect(queue.takeTargets(10) == ["b", "a"])
        #expect(!queue.isUrgent)
    }

    @Test("A page has as many shards as have about a page of targets, and at least one")
    func shardPages() {
        var queue = ReevaluationQueue()
        let shards = Self.shards(0..<5)
        queue.add(shards: shards)
        let sizes = Dictionary(uniqueKeysWithValues: zip(shards, [40, 50, 20, 1000, 1]))
        var pages: [[Int]] = []
        while queue.isUrgent {
            queue.beginShardPage(100, sizes: sizes, withBackground: false)
            pages.append(queue.shardPage?.shards.map(\.number) ?? [])
            queue.take(shardPage: [], isFull: false)
        }
        #expect(pages == [[0, 1], [2], [3], [4]])
    }

    @Test("A full page continues behind its last target")
    func continuation() {
        var queue = ReevaluationQueue()
        queue.add(shards: Self.shards(0..<1))
        queue.beginShardPage(2, sizes: [:], withBackground: false)
        queue.take(shardPage: ["a", "b"], isFull: true)
        #expect(queue.shardPage?.after == "b")
        queue.take(shardPage: ["c"], isFull: false)
        #expect(queue.shardPage == nil)
    }

    @Test("What can wait is taken only when nothing is urgent, and completely")
    func background() {
        var queue = ReevaluationQueue()
        queue.addInBackground(Self.shards(0..<2_500))
        queue.add(shards: Self.shards(7..<8))
        #expect(queue.isUrgent && queue.hasBackground)
        queue.beginShardPage(10, sizes: [:], withBackground: true)
        #expect(queue.shardPage?.shards == Self.shards(7..<8))
        queue.take(shardPage: [], isFull: false)
        queue.beginShardPage(10, sizes: [:], withBackground: false)
        #expect(queue.shardPage == nil && !queue.isUrgent)
        var taken: [Shard] = []
        while queue.hasBackground {
            queue.beginShardPage(10, sizes: [:], withBackground: true)
            taken += queue.shardPage?.shards ?? []
            queue.take(shardPage: [], isFull: false)
        }
        #expect(taken == Self.shards(0..<2_500))
    }

    @Test("A shard is due at the earliest of its times, unless nothing about it can change any more")
    func due() {
        var queue = ReevaluationQueue()
        let shards = Self.shards(0..<2)
        queue.add(shards[0], at: .seconds(5))
        queue.add(shards[0], at: .seconds(3))
        queue.add(shards[1], at: .seconds(4))
        #expect(queue.nextDue == .seconds(3))
        queue.takeDue(.seconds(2)) { _ in true }
        #expect(!queue.isUrgent)
        queue.takeDue(.seconds(3)) { _ in true }
        #expect(queue.isUrgent && queue.nextDue == .seconds(4))
        queue.beginShardPage(10, sizes: [:], withBackground: false)
        queue.take(shardPage: [], isFull: false)
        queue.takeDue(.seconds(9)) { _ in false }
        #expect(!queue.isUrgent && queue.nextDue == nil)
    }

    @Test("Children of many parents are read in pages of parents and of children")
    func children() {
        var queue = ReevaluationQueue()
        queue.add(childrenOf: ["p1", "p2", "p1", "p3"])
        queue.beginChildPage(2)
        #expect(queue.childPage?.parents == ["p1", "p2"])
        queue.take(childPage: ["c1", "c2"], isFull: true)
        #expect(queue.childPage?.after == "c2")
        queue.take(childPage: ["c3"], isFull: false)
        queue.beginChildPage(2)
        #expect(queue.childPage?.parents == ["p3"])
        #expect(queue.takeTargets(9) == ["c1", "c2", "c3"])
    }
}
