// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Addresses
import Diagnosis
import Glibc

/// Measures the diagnosis alone: targets in networks of up to 100 hosts behind ten second routers. Argument: the number of targets.
@main
struct DiagnosisCosts {
    private static let gateway = Gateway(address(192, 0, 2, 1))
    private static let first = RouteHop(1, [gateway.address])

    private static func address(_ a: Int, _ b: Int, _ c: Int, _ d: Int) -> IPAddress {
        IPAddress(ipv4: UInt32(a << 24 | b << 16 | c << 8 | d))
    }

    private static func host(_ number: Int) -> IPAddress { address(10, number / 25_600, number / 100 % 256, number % 100 + 1) }

    private static func router(_ number: Int) -> RouteHop { RouteHop(2, [address(10, 255, 0, number / 100 % 10 + 1)]) }

    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
    }

    private static var residentBytes: Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var (all, resident) = (0, 0)
        withUnsafeMutablePointer(to: &all) { all in
            withUnsafeMutablePointer(to: &resident) { resident in
                _ = withVaList([all, resident]) { vfscanf(file, "%ld %ld", $0) }
            }
        }
        return resident * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// The processor time of a step for each of some targets, in microseconds.
    private static func measure(_ numbers: [Int], _ step: (Int) -> Void) -> String {
        let begin = processorTime
        for number in numbers { step(number) }
        let hundredths = Int(((processorTime - begin) / Double(numbers.count) * 100).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) us"
    }

    static func main() {
        let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
        let all = Array(0..<count)
        var diagnosis = NetworkDiagnosis()
        var time: UInt64 = 1_000_000_000
        func answered(_ number: Int) {
            time += 1_000
            _ = diagnosis.answered(UInt64(number), host(number), gateway, at: time)
        }
        let empty = residentBytes
        for number in all { answered(number) }
        let targets = residentBytes
        let ways = all.filter { $0 % 100 == 0 }
        for number in ways { _ = diagnosis.learn(UInt64(number), [first, router(number)], length: 3, at: time) }
        print("\(count) targets, \(ways.count) ways: \((targets - empty) / count) bytes a target")
        print("memory of \(ways.count) known ways: \((residentBytes - targets) / 1_024) kB")
        print("response: \(measure(all, answered)) each")

        // A second router drops. Its first target is traced.
        let silent = all.filter { $0 / 100 % 10 == 0 }
        time += 10_000_000_000
        diagnosis.silent(UInt64(silent[0]), host(silent[0]), gateway, at: time)
        time += 10_000_000_000
        _ = diagnosis.traced(UInt64(silent[0]), [first], at: time, until: time + 2_000_000_000)
        time += 10_000_000_000
        var explained = 0
        let cost = measure(silent) { number in
            time += 1_000
            diagnosis.silent(UInt64(number), host(number), gateway, at: time)
            if case .path = diagnosis.reading(of: UInt64(number), at: time) { explained += 1 }
        }
        print("silence of \(silent.count) targets behind one router, and its reading: \(cost) each, \(explained) explained")
        // What is not explained by a fault that is known.
        let alone = all.filter { $0 / 100 % 10 == 1 && $0 % 100 == 7 }
        let other = measure(alone) { number in
            time += 1_000
            diagnosis.silent(UInt64(number), host(number), gateway, at: time)
            _ = diagnosis.reading(of: UInt64(number), at: time)
        }
        print("silence of one host in each of \(alone.count) networks, and its reading: \(other) each")
        time += 10_000_000_000
        let end = measure([silent[0]]) { number in answered(number) }
        print("the response that ends the fault of \(silent.count) targets: \(end)")
    }
}
