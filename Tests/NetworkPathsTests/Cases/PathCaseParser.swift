// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import NetworkPaths

/// Reads cases in the notation of linux-paths section 10.
///
/// Beyond it: `-t GLOB=TYPE[,expensive][,constrained][,ignored][,carrierless]`, `-c PREFIX=MODE[+cellular]`, `-s FILE:TEXT` for a file
/// under `class/net` of a sysfs of the case's own, `-d INTERFACE=DRIVER` for a driver in it, `need KIND`, `tap DEVICE`,
/// `release`, `try i …` where
/// the kernel may refuse and the case is skipped then, and `KEY=VALUE` words behind an expectation. There is no `sleep`: an expectation is awaited; `later` parts
/// two blocks that no command parts.
struct PathCaseParser {
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    private var cases: [PathCase] = []

    static func parse(_ text: String) throws -> [PathCase] {
        var parser = PathCaseParser()
        for line in text.split(separator: "\n") {
            do {
                try parser.read(line.trimmed)
            } catch {
                throw Fault(description: "'\(line)': \(error)")
            }
        }
        return parser.cases
    }

    private mutating func read(_ line: Substring) throws {
        if line.hasPrefix("#") {
            cases.append(PathCase(title: String(line.dropFirst().trimmed)))
            return
        }
        guard !line.isEmpty else { return }
        guard var current = cases.popLast() else { throw Fault(description: "no title") }
        defer { cases.append(current) }
        if line.hasPrefix("=") {
            let expectation = try expectation(line.dropFirst().trimmed)
            if case .expect(var block) = current.steps.last {
                block.append(expectation)
                current.steps[current.steps.count - 1] = .expect(block)
            } else {
                current.steps.append(.expect([expectation]))
            }
        } else if line.hasPrefix("!") {
            try readOptions(line.dropFirst().trimmed, into: &current)
        } else {
            for command in line.split(separator: ";") { try readCommand(command.trimmed, into: &current) }
        }
    }

    private func readCommand(_ command: Substring, into current: inout PathCase) throws {
        let verb = command.prefix { $0 != " " }
        let rest = String(command.dropFirst(verb.count).trimmed)
        switch verb {
        case "i": current.steps.append(.namespace(rest))
        case "try":
            guard rest.hasPrefix("i ") else { throw Fault(description: "try i …") }
            current.steps.append(.attempt(String(rest.dropFirst(2))))
        case "p": current.steps.append(.peer(rest))
        case "base": current.steps.append(.base)
        case "second": current.steps.append(.second)
        case "hold": current.steps.append(.hold(rest, isTap: false))
        case "tap": current.steps.append(.hold(rest, isTap: true))
        case "release": current.steps.append(.release)
        case "later": current.steps.append(.later)
        case "need": current.kinds.append(rest)
        case "x":
            let setting = "sysctl -qw "
            guard rest.hasPrefix(setting) else {
                current.steps.append(.exec(rest))
                return
            }
            let parts = rest.dropFirst(setting.count).split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { throw Fault(description: "sysctl KEY=VALUE") }
            current.steps.append(.sysctl(key: String(parts[0]), value: String(parts[1])))
        default: throw Fault(description: "unknown command \(verb)")
        }
    }

    private func readOptions(_ text: Substring, into current: inout PathCase) throws {
        var words = text.split(separator: " ").map { $0.filter { $0 != "'" } }[...]
        while let option = words.popFirst() {
            guard let value = words.popFirst() else { throw Fault(description: "\(option) needs a value") }
            switch option {
            case "-t": current.rules.append(try rule(value))
            case "-c": current.connections.append(try connection(value))
            case "-m": current.mark = UInt32(value)
            case "-s":
                let parts = value.split(separator: ":", maxSplits: 1)
                guard parts.count == 2 else { throw Fault(description: "-s FILE:TEXT") }
                current.sysfs.append((String(parts[0]), String(parts[1])))
            case "-d":
                let parts = value.split(separator: "=", maxSplits: 1)
                guard parts.count == 2 else { throw Fault(description: "-d INTERFACE=DRIVER") }
                current.drivers.append((String(parts[0]), String(parts[1])))
            default: throw Fault(description: "unknown option \(option)")
            }
        }
    }

    private func rule(_ text: String) throws -> InterfaceRule {
        guard let equals = text.lastIndex(of: "="), let patterns = InterfaceRule.patterns(from: String(text[..<equals]))
        else { throw Fault(description: "-t GLOB=TYPE") }
        var rule = InterfaceRule(patterns: patterns)
        for word in text[text.index(after: equals)...].split(separator: ",") {
            switch word {
            case "expensive": rule.isExpensive = true
            case "constrained": rule.isConstrained = true
            case "ignored": rule.isIgnored = true
            case "carrierless": rule.ignoresCarrierLoss = true
            default: rule.type = try type(word)
            }
        }
        return rule
    }

    private func connection(_ text: String) throws -> DeclaredConnection {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw Fault(description: "-c PREFIX=MODE") }
        let words = parts[1].split(separator: "+")
        guard let mode = DeclaredConnection.Mode(rawValue: String(words[0])) else { throw Fault(description: "mode") }
        var prefixes: [IPPrefix]?
        if parts[0] != "default" {
            guard let prefix = IPPrefix(parts[0]) else { throw Fault(description: "prefix") }
            prefixes = [prefix]
        }
        return DeclaredConnection(
            name: text,
            prefixes: prefixes,
            mode: mode,
            isCellular: words.dropFirst().contains("cellular")
        )
    }

    private func expectation(_ text: Substring) throws -> Expectation {
        let words = text.split(separator: " ")
        guard words.count >= 2, let flags = UInt32(words[1].dropFirst(2), radix: 16) else {
            throw Fault(description: "= TARGET FLAGS")
        }
        let request = PathRequest(try PathTarget(parsing: String(words[0])))
        var result = Expectation(line: "= \(text)", request: request, flags: flags)
        for word in words.dropFirst(2) {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                result.type = try type(word)
                continue
            }
            switch parts[0] {
            case "reason":
                guard let reason = UnsatisfiedReason(rawValue: parts[1]) else { throw Fault(description: parts[1]) }
                result.reason = reason
            case "on": result.interface = parts[1]
            case "via": result.gateway = parts[1]
            case "src": result.source = parts[1]
            case "mark": result.request.mark = UInt32(parts[1])
            case "expensive": result.isExpensive = parts[1] == "yes"
            case "constrained": result.isConstrained = parts[1] == "yes"
            case "families": result.families = parts[1]
            default: throw Fault(description: "unknown key \(parts[0])")
            }
        }
        return result
    }

    private func type(_ word: Substring) throws -> InterfaceType {
        if word == "wired" { return .wiredEthernet }
        guard let type = InterfaceType(rawValue: String(word)) else { throw Fault(description: "unknown type \(word)") }
        return type
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var text = drop { $0 == " " }
        while text.last == " " { text = text.dropLast() }
        return text
    }
}
