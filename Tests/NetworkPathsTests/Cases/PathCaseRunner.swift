// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths
import TestSupport
import Testing

/// Runs one case: an engine watches from before the first command; each block of expectations is awaited there, then
/// asked of that engine and of a fresh one, so that what events taught and what a dump tells must agree.
struct PathCaseRunner {
    private let testCase: PathCase
    private let testbed: Testbed
    private let log = PathLog()
    private let engine: PathEngine
    private let options: PathEngineOptions
    private let sysfs: TemporaryFolder?
    private var watched: [(request: PathRequest, id: PathID)] = []

    static func run(_ testCase: PathCase) async throws {
        try await Testbed.with { testbed in
            var runner = try PathCaseRunner(testCase, testbed)
            defer { runner.engine.close() }
            try await runner.run()
        }
    }

    private init(_ testCase: PathCase, _ testbed: Testbed) throws {
        self.testCase = testCase
        self.testbed = testbed
        var options = PathEngineOptions()
        options.interfaceRules = testCase.rules
        options.connections = testCase.connections
        options.mark = testCase.mark
        sysfs = testCase.sysfs.isEmpty && testCase.drivers.isEmpty ? nil : try TemporaryFolder()
        for (file, text) in testCase.sysfs { try sysfs?.write(text + "\n", to: "class/net/\(file)") }
        for (interface, driver) in testCase.drivers {
            guard let sysfs else { break }
            try sysfs.write("", to: "class/net/\(interface)/device/uevent")
            let link = sysfs.path(of: "class/net/\(interface)/device/driver")
            try Command.run(["ln", "-s", "/sys/bus/usb/drivers/\(driver)", link])
        }
        // Without one of its own a case has no sysfs: the machine's shows another namespace (L8).
        options.sysfsRoot = sysfs?.path ?? "/nonexistent"
        self.options = options
        engine = try PathEngine(options: options, observer: log, prologue: testbed.namespace.prologue)
    }

    private mutating func run() async throws {
        for step in testCase.steps {
            switch step {
            case .namespace(let command): try testbed.i(command.replacing("$P", with: testbed.peer.name))
            case .attempt(let command):
                do {
                    try testbed.i(command)
                } catch let failure as Command.Failure {
                    try skip(testCase.title, because: "\(failure)")
                }
            case .peer(let command): try testbed.p(command)
            case .base: try testbed.base()
            case .second: try testbed.second()
            case .hold(let device, let isTap): try testbed.namespace.hold(device, isTap: isTap)
            case .release: testbed.namespace.releaseAll()
            case .exec(let command): try testbed.namespace.exec(command)
            case .sysctl(let key, let value): try testbed.namespace.sysctl(key, value)
            case .later: break
            case .expect(let block): try await expect(block)
            }
        }
        let asked = engine.evaluate(watched.map(\.request))
        for (target, path) in zip(watched, asked) {
            do {
                try await log.settle(target.id) { Self.isAlike($0, path) }
            } catch is Recorder<PathUpdate>.Missing {
                Issue.record(
                    "\(target.request.target): stale at the end: \(String(describing: log.path(of: target.id)))"
                )
            }
        }
    }

    private mutating func expect(_ block: [Expectation]) async throws {
        var mark = log.updates.count
        for expectation in block { try await settle(expectation) }
        // What a command sets off may come later than the command's end: a bridge's carrier after its port's. Then the
        // state that was awaited was still the old one, and the new one is awaited once more.
        while differences(engine, block).contains(where: { $0 != nil }) {
            guard (try? await log.updates.next(after: mark, limit: .seconds(5))) != nil else { break }
            mark = log.updates.count
            for expectation in block { try await settle(expectation) }
        }
        ask(engine, block, "asked")
        let fresh = try PathEngine(options: options, observer: PathLog(), prologue: testbed.namespace.prologue)
        ask(fresh, block, "asked a fresh engine")
        fresh.close()
    }

    private mutating func settle(_ expectation: Expectation) async throws {
        let id = watch(expectation.request)
        do {
            try await log.settle(id, limit: .seconds(600), where: expectation.fits)
        } catch is Recorder<PathUpdate>.Missing {
            let path = log.path(of: id)
            let difference = path.flatMap { expectation.difference(from: $0) } ?? "no verdict"
            Issue.record("watched: \(expectation.line): \(difference)")
        }
    }

    private func ask(_ engine: PathEngine, _ block: [Expectation], _ how: String) {
        for (expectation, difference) in zip(block, differences(engine, block)) {
            #expect(difference == nil, "\(how): \(expectation.line)")
        }
    }

    private func differences(_ engine: PathEngine, _ block: [Expectation]) -> [String?] {
        let paths = engine.evaluate(block.map(\.request))
        guard paths.count == block.count else { return ["\(paths.count) verdicts for \(block.count) targets"] }
        return zip(block, paths).map { $0.difference(from: $1) }
    }

    private mutating func watch(_ request: PathRequest) -> PathID {
        if let known = watched.first(where: { $0.request == request }) { return known.id }
        let id = engine.add([request])[0]
        watched.append((request, id))
        return id
    }

    private static func isAlike(_ left: NetworkPath, _ right: NetworkPath) -> Bool {
        var left = left
        left.generation = right.generation
        return left == right
    }
}
