// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

extension FieldType {
    /// Reads one scalar of this type. A list of one or more takes it as its only element.
    package func read(_ scalar: ScalarText) throws(Complaint) -> CheckedValue {
        switch self {
        case .boolean:
            return .boolean(try boolean(scalar))
        case .integer(let bounds):
            guard scalar.isBare else { throw quotes(scalar.text, isOfType: Self.number(scalar.text) != nil) }
            guard let number = Self.number(scalar.text) else { throw Complaint(.wrongType, "is not \(words)") }
            guard bounds.contains(number) else {
                throw Complaint(.outOfRange, "is not between \(bounds.lowerBound) and \(bounds.upperBound)")
            }
            return .integer(number)
        case .duration(let bounds):
            let milliseconds = try DurationText.milliseconds(scalar.text)
            guard bounds.contains(milliseconds) else {
                let lower = DurationText.text(milliseconds: bounds.lowerBound)
                let upper = DurationText.text(milliseconds: bounds.upperBound)
                throw Complaint(.outOfRange, "is not between \(lower) and \(upper)")
            }
            return .duration(.milliseconds(milliseconds))
        case .byteCount(let bounds):
            let bytes = try ByteCountText.bytes(scalar.text)
            guard bounds.contains(bytes) else {
                let (lower, upper) = (ByteCountText.text(bounds.lowerBound), ByteCountText.text(bounds.upperBound))
                throw Complaint(.outOfRange, "is not between \(lower) and \(upper)")
            }
            return .integer(bytes)
        case .choice(let choices):
            if choices.contains(where: { $0.word == scalar.text }) { return .text(scalar.text) }
            let lowered = scalar.text.lowercased()
            let synonym = choices.first { $0.synonyms.contains(lowered) }?.word
            let nearest = synonym ?? NearestName.of(scalar.text, among: choices.lazy.map(\.word))
            throw Complaint("is not one of \(words)", hint: nearest.map { "did you mean \($0)?" })
        case .text(let form), .textOrObject(let form, _):
            return try form.read(scalar.text)
        case .oneOrMore(let element):
            return .list([.init(value: try element.read(scalar), place: scalar.place)])
        case .list, .labels, .object:
            throw Complaint(.wrongType, "is text, where \(words) is wanted")
        }
    }

    private func boolean(_ scalar: ScalarText) throws(Complaint) -> Bool {
        switch (scalar.text, scalar.isBare) {
        case ("true", true): return true
        case ("false", true): return false
        case ("true", false), ("false", false): throw quotes(scalar.text, isOfType: true)
        default: break
        }
        let meant: String? =
            switch scalar.text.lowercased() {
            case "yes", "on", "y", "true", "1": "true"
            case "no", "off", "n", "false", "0": "false"
            default: nil
            }
        throw Complaint(.wrongType, "is not true or false", hint: meant.map { "write \($0)" })
    }

    private func quotes(_ text: String, isOfType: Bool) -> Complaint {
        Complaint(
            .wrongType,
            "is text, where \(words) is wanted",
            hint: isOfType ? "write \(text) without quotes" : nil
        )
    }

    private static func number(_ text: String) -> Int? {
        text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
    }
}
