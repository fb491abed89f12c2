// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// What a target said in answer to a probe of one kind, as facts that JSON, `reachd check`, page and metrics show without knowing
/// the kind.
package protocol ProbeAnswer: Hashable, Sendable {
    /// The name of the kind, under which JSON has the facts.
    static var kind: StaticString { get }

    /// What it says, in the order of the documentation.
    static var facts: [Fact<Self>] { get }

    /// The answer in one line, for people.
    ///
    /// - Parameter words: writes a time.
    func summary(_ words: (Duration) -> String) -> String

    /// How long the target took, where that is not what the run took.
    var responseTime: Duration? { get }

    /// The same without what says where the target is; nil when nothing is left.
    var hidingAddress: Self? { get }
}

extension ProbeAnswer {
    package var responseTime: Duration? { nil }
}

/// The value of a fact.
package enum FactValue: Hashable, Sendable {
    case integer(Int)
    /// A length of time, which is never negative.
    case duration(Duration)
    /// How much one time is behind another; negative when it is before.
    case difference(Duration)
    case flag(Bool)
    case text(String)
    case texts([String])
}

/// One thing that an answer says.
package struct Fact<Answer>: Sendable {
    /// A metric that shows the fact; answers whose metrics have blackbox_exporter's names have none here.
    package struct Metric: Sendable {
        /// The name.
        package let name: StaticString
        /// The meaning.
        package let help: StaticString

        /// Declares a metric.
        package init(_ name: StaticString, _ help: StaticString) {
            self.name = name
            self.help = help
        }
    }

    /// The name in JSON, with its unit: `min_seconds`.
    package let name: StaticString
    /// What people read.
    package let label: StaticString
    /// The metric that shows it.
    package let metric: Metric?
    /// The value; nil when the answer does not say.
    package let value: @Sendable (Answer) -> FactValue?

    /// Declares a fact.
    package init(
        _ name: StaticString,
        _ label: StaticString,
        metric: Metric? = nil,
        _ value: @escaping @Sendable (Answer) -> FactValue?
    ) {
        self.name = name
        self.label = label
        self.metric = metric
        self.value = value
    }
}

extension ProbeAnswer {
    /// Calls with each fact that the answer says.
    package func forEachFact(_ body: (_ name: StaticString, _ value: FactValue) -> Void) {
        for fact in Self.facts {
            if let value = fact.value(self) { body(fact.name, value) }
        }
    }

    /// The facts of any answers.
    package static var generalFacts: [Fact<ProbeAnswers>] {
        facts.map { fact in
            let metric = fact.metric.map { Fact<ProbeAnswers>.Metric($0.name, $0.help) }
            return Fact(fact.name, fact.label, metric: metric) { $0.first(Self.self).flatMap(fact.value) }
        }
    }
}

/// What a target said; no or one answer, as probes are now.
package struct ProbeAnswers: Sendable {
    /// The answers.
    package let all: [any ProbeAnswer]

    /// Creates a list.
    package init(_ all: [any ProbeAnswer] = []) { self.all = all }

    /// The first of a type.
    package func first<Answer: ProbeAnswer>(_ type: Answer.Type = Answer.self) -> Answer? {
        for answer in all {
            if let answer = answer as? Answer { return answer }
        }
        return nil
    }

    /// How long the target took, where that is not what the run took.
    var responseTime: Duration? { all.lazy.compactMap(\.responseTime).first }

    /// The same without what says where the target is.
    var hidingAddress: ProbeAnswers { ProbeAnswers(all.compactMap { Self.hiding($0) }) }

    private static func hiding(_ answer: some ProbeAnswer) -> (any ProbeAnswer)? { answer.hidingAddress }
}

extension ProbeAnswers: Hashable {
    /// The same answers in the same order.
    package static func == (left: Self, right: Self) -> Bool {
        left.all.map { AnyHashable($0) } == right.all.map { AnyHashable($0) }
    }

    package func hash(into hasher: inout Hasher) { for answer in all { answer.hash(into: &hasher) } }
}
