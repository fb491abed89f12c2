// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Glibc
import NetworkPaths
import Synchronization

// Measures one pass over all targets, and the memory per target. Arguments: the number of targets, the number of rounds. Prints
// medians.

final class Counter: PathEngineObserver {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }

    func pathsDidChange(_ updates: [PathUpdate]) {
        count.withLock { $0 += updates.count }
    }

    func environmentDidChange(_ environment: NetworkEnvironment) {}
}

func milliseconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1e6
}

func threadMilliseconds() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let user = Double(usage.ru_utime.tv_sec) * 1000 + Double(usage.ru_utime.tv_usec) / 1000
    let system = Double(usage.ru_stime.tv_sec) * 1000 + Double(usage.ru_stime.tv_usec) / 1000
    return user + system
}

func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 128)
    guard fgets(&line, 128, file) != nil else { return 0 }
    let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return (Int(text.split(separator: " ")[1]) ?? 0) * 4096
}

let targets = CommandLine.arguments.count > 1 ? Int(CommandLine.arguments[1]) ?? 1000 : 1000
let rounds = CommandLine.arguments.count > 2 ? Int(CommandLine.arguments[2]) ?? 9 : 9

let counter = Counter()
let engine = try PathEngine(observer: counter)
let requests = (0..<targets).map { PathRequest(.address(IPAddress(ipv4: 0xcb00_7100 &+ UInt32($0) &* 37))) }
let before = residentBytes()
_ = engine.add(requests)
_ = engine.evaluate([])
let perTarget = (residentBytes() - before) / max(targets, 1)

var walls: [Double] = []
var processors: [Double] = []
for _ in 0..<rounds {
    let wall = milliseconds()
    let processor = threadMilliseconds()
    engine.apply(PathEngineOptions())
    _ = engine.evaluate([])
    walls.append(milliseconds() - wall)
    processors.append(threadMilliseconds() - processor)
}
walls.sort()
processors.sort()
func text(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
print(
    "targets=\(targets) first_verdicts=\(counter.value) bytes_per_target=\(perTarget)",
    "pass_ms: median=\(text(walls[rounds / 2])) min=\(text(walls[0])) max=\(text(walls[rounds - 1]))",
    "cpu_ms: median=\(text(processors[rounds / 2]))",
    "us_per_target=\(text(walls[rounds / 2] * 1000 / Double(targets)))"
)
engine.close()
