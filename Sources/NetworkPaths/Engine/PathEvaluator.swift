// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Turns requests into paths: lays out the questions of all of them, has them judged together, and puts the verdicts
/// together again.
struct PathEvaluator {
    let evaluate: AddressEvaluator

    /// A request with what is known of its name.
    struct Subject {
        let request: PathRequest
        /// nil for targets that are not names, and for names that are not resolved (R52).
        let resolution: Resolution?
        /// The index of the interface of the last verdict; zero when there is none.
        var lastInterface: UInt32 = 0
    }

    /// How the verdicts of one request are put together.
    private enum Layout {
        case fixed(NetworkPath)
        case address(IPAddress, question: Int)
        case pair(local: Int, remote: (address: IPAddress, question: Int)?, fallback: NetworkPath?)
        case name([IPAddress], firstQuestion: Int, Resolution)
    }

    func evaluate(_ subjects: [Subject]) -> [NetworkPath] {
        var questions: [AddressQuestion] = []
        questions.reserveCapacity(subjects.count)
        let memo = DefaultPathMemo()
        let layouts = subjects.map { layout($0, memo, &questions) }
        let verdicts = evaluate.evaluate(questions)
        return layouts.map { path($0, verdicts) }
    }

    /// Many names without an answer go by the same default path, which is asked for once.
    private final class DefaultPathMemo {
        var paths: [UInt32?: NetworkPath] = [:]
    }

    private func defaultPath(_ mark: UInt32?, _ memo: DefaultPathMemo) -> NetworkPath {
        if let path = memo.paths[mark] { return path }
        let path = evaluate.evaluateDefaultPath(family: nil, mark: mark)
        memo.paths[mark] = path
        return path
    }

    private func layout(_ subject: Subject, _ memo: DefaultPathMemo, _ questions: inout [AddressQuestion]) -> Layout {
        let mark = subject.request.mark ?? evaluate.defaultMark
        switch subject.request.target {
        case .defaultPath(let family, let interface):
            return .fixed(evaluate.evaluateDefaultPath(family: family, interface: interface, mark: mark))
        case .address(let address, let interface):
            var question = AddressQuestion(destination: address, mark: mark, lastInterface: subject.lastInterface)
            if let interface {
                guard let link = evaluate.links.link(named: interface) else {
                    return .fixed(evaluate.path(.unsatisfied(.noInterface)))
                }
                question.interface = link.index
            }
            questions.append(question)
            return .address(address, question: questions.count - 1)
        case .pair(let local, let remote):
            return pair(local, remote, mark, &questions)
        case .name:
            return name(subject, mark, memo, &questions)
        }
    }

    private func pair(
        _ local: IPAddress?,
        _ remote: IPAddress?,
        _ mark: UInt32?,
        _ questions: inout [AddressQuestion]
    ) -> Layout {
        guard let local else { return .fixed(evaluate.path(.unsatisfied(.localAddressNotOurs))) }
        questions.append(AddressQuestion(destination: local, mark: mark))
        let localQuestion = questions.count - 1
        guard let remote else { return .pair(local: localQuestion, remote: nil, fallback: nil) }
        if remote.isUnspecified {
            let path = evaluate.evaluateDefaultPath(family: local.family, source: local, mark: mark)
            return .pair(local: localQuestion, remote: nil, fallback: path)
        }
        questions.append(AddressQuestion(destination: remote, source: local, mark: mark))
        return .pair(local: localQuestion, remote: (remote, questions.count - 1), fallback: nil)
    }

    private func name(
        _ subject: Subject,
        _ mark: UInt32?,
        _ memo: DefaultPathMemo,
        _ questions: inout [AddressQuestion]
    ) -> Layout {
        guard let resolution = subject.resolution, resolution.state != .pending || !resolution.addresses.isEmpty else {
            return .fixed(unresolved(subject, mark, memo))
        }
        guard !resolution.addresses.isEmpty else {
            // What a server said of the name holds, whatever the routes are; without an answer a dead network is the nearer cause (R58).
            let isAnswered = resolution.state == .complete || resolution.isServersWord
            var path = isAnswered ? evaluate.path(.unsatisfied(.nameUnresolved)) : defaultPath(mark, memo)
            if path.status == .satisfied || path.unsatisfiedReason == nil {
                path = evaluate.path(.unsatisfied(.nameUnresolved))
            }
            path.resolution = resolution
            return .fixed(path)
        }
        let first = questions.count
        questions.append(
            contentsOf: resolution.addresses.map { AddressQuestion(destination: $0.unmapped, mark: mark) }
        )
        return .name(resolution.addresses, firstQuestion: first, resolution)
    }

    /// A name without an answer: the default path's flags (R52, R53), or nothing at all for a pessimist.
    private func unresolved(_ subject: Subject, _ mark: UInt32?, _ memo: DefaultPathMemo) -> NetworkPath {
        var path = defaultPath(mark, memo)
        if subject.request.nameEvaluation == .pessimistic { path = NetworkPath(flags: []) }
        path.resolution = subject.resolution ?? Resolution(state: .pending)
        return path
    }

    private func path(_ layout: Layout, _ verdicts: [Verdict]) -> NetworkPath {
        switch layout {
        case .fixed(let path):
            return path
        case .address(let address, let question):
            return evaluate.path(verdicts[question], of: address)
        case .pair(let local, let remote, let fallback):
            let own = verdicts[local]
            // Loopback being down does not make an address foreign.
            let isOurs = own.flags.contains(.isLocalAddress) || own.reason == .loopbackDown
            guard isOurs else {
                return evaluate.path(own.reason == .kernelRefused ? own : .unsatisfied(.localAddressNotOurs))
            }
            if let fallback { return fallback }
            guard let remote else { return evaluate.path(own) }
            return evaluate.path(verdicts[remote.question], of: remote.address)
        case .name(let addresses, let first, let resolution):
            var best: NetworkPath?
            var bestRank = -1
            for (offset, address) in addresses.enumerated() {
                let verdict = evaluate.withConnection(verdicts[first + offset]) { connection in
                    connection.prefixes?.contains { $0.contains(address) } ?? true
                }
                guard verdict.rank > bestRank else { continue }
                best = evaluate.path(verdicts[first + offset], of: address)
                bestRank = verdict.rank
            }
            var path = best ?? evaluate.path(.unsatisfied(.nameUnresolved))
            path.resolution = resolution
            return path
        }
    }
}
