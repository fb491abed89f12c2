// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// A target's answer to a probe of one kind, as facts that JSON, `reachd check`, page and metrics show without
/// knowledge of the kind.
package protocol ProbeAnswer: Hashable, Sendable {
    /// The name of the kind, which is the JSON member of the facts.
    static var kind: StaticString { get }

    /// The facts, in the order of the documentation.
    static var facts: [Fact<Self>] { get }

    /// Returns the answer in one line for people.
    ///
    /// - Parameter words: Formats a duration.
    func summary(_ words: (Duration) -> String) -> String

    /// The target's response time, where it differs from the run's duration.
    var responseTime: Duration? { get }

    /// The same answer without the target's location; nil when nothing remains.
    var hidingAddress: Self? { get }
}

extension ProbeAnswer {
    package var responseTime: Duration? { nil }
}

/// The value of a fact.
package enum FactValue: Hashable, Sendable {
    case integer(Int)
    /// A duration, never negative.
    case duration(Duration)
    /// A difference of two times; negative when the first is earlier.
    case difference(Duration)
    case flag(Bool)
    case text(String)
    case texts([String])
}

/// A fact of an answer.
package struct Fact<Answer>: Sendable {
    /// The metric of a fact; facts whose metrics have blackbox_exporter's names do not have one here.
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
    /// The label for people.
    package let label: StaticString
    /// The metric of the fact; nil for none.
    package let metric: Metric?
    /// The value; nil when the answer does not contain it.
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
    /// Calls the body with each fact of the answer.
    package func forEachFact(_ body: (_ name: StaticString, _ value: FactValue) -> Void) {
        for fact in Self.facts {
            if let value = fact.value(self) { body(fact.name, value) }
        }
    }

    /// The facts for answers of any type.
    package static var generalFacts: [Fact<ProbeAnswers>] {
        facts.map { fact in
            let metric = fact.metric.map { Fact<ProbeAnswers>.Metric($0.name, $0.help) }
            return Fact(fact.name, fact.label, metric: metric) { $0.first(Self.self).flatMap(fact.value) }
        }
    }
}

/// The answers of a target; currently none or one.
package struct ProbeAnswers: Sendable {
    /// The answers.
    package let all: [any ProbeAnswer]

    /// Creates a list.
    package init(_ all: [any ProbeAnswer] = []) { self.all = all }

    /// Returns the first answer of a type.
    package func first<Answer: ProbeAnswer>(_ type: Answer.Type = Answer.self) -> Answer? {
        for answer in all {
            if let answer = answer as? Answer { return answer }
        }
        return nil
    }

    /// The target's response time, where it differs from the run's duration.
    var responseTime: Duration? { all.lazy.compactMap(\.responseTime).first }

    /// The same answers without the target's location.
    var hidingAddress: ProbeAnswers { ProbeAnswers(all.compactMap { Self.hiding($0) }) }

    private static func hiding(_ answer: some ProbeAnswer) -> (any ProbeAnswer)? { answer.hidingAddress }
}

extension ProbeAnswers: Hashable {
    /// Returns whether both have equal answers in the same order.
    package static func == (left: Self, right: Self) -> Bool {
        left.all.map { AnyHashable($0) } == right.all.map { AnyHashable($0) }
    }

    package func hash(into hasher: inout Hasher) { for answer in all { answer.hash(into: &hasher) } }
}
