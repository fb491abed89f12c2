// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// Holds values against the schemas of `openapi.yaml`: the keywords that it uses, and no others.
struct SchemaChecker {
    let document: JSONValue

    /// What is wrong with a value, as paths and reasons; empty when nothing is.
    func faults(_ value: JSONValue, against schema: JSONValue, at path: String = "$") -> [String] {
        var faults: [String] = []
        guard case .object(let keywords) = schema else { return ["\(path): the schema is no object"] }
        for (keyword, rule) in keywords {
            switch keyword {
            case "description", "format", "default": continue
            case "$ref":
                guard let target = resolve(rule) else {
                    faults.append("\(path): dangling \(rule)")
                    continue
                }
                faults += self.faults(value, against: target, at: path)
            case "allOf":
                for part in rule.array ?? [] { faults += self.faults(value, against: part, at: path) }
            case "anyOf":
                let attempts = (rule.array ?? []).map { self.faults(value, against: $0, at: path) }
                if !attempts.contains(where: \.isEmpty) { faults.append("\(path): fits none of anyOf: \(attempts)") }
            case "enum":
                if rule.array?.contains(value) != true { faults.append("\(path): \(value) is not listed") }
            case "const":
                if rule != value { faults.append("\(path): \(value) is not \(rule)") }
            case "type":
                let types = rule.array?.compactMap(\.string) ?? [rule.string ?? ""]
                if !types.contains(where: { isOf(type: $0, value) }) { faults.append("\(path): is no \(types)") }
            case "required":
                for name in rule.array?.compactMap(\.string) ?? [] where !value.keys.contains(name) {
                    faults.append("\(path): lacks \(name)")
                }
            case "properties":
                for name in value.keys {
                    if let member = value[name], let own = rule[name] {
                        faults += self.faults(member, against: own, at: "\(path).\(name)")
                    }
                }
            case "additionalProperties":
                for name in value.keys.subtracting(keywords["properties"]?.keys ?? []) {
                    if rule == .boolean(false) {
                        faults.append("\(path): has \(name)")
                    } else if let member = value[name] {
                        faults += self.faults(member, against: rule, at: "\(path).\(name)")
                    }
                }
            case "items":
                for (index, element) in (value.array ?? []).enumerated() {
                    faults += self.faults(element, against: rule, at: "\(path)[\(index)]")
                }
            case "minimum":
                if let number = value.number, let bound = rule.number, number < bound {
                    faults.append("\(path): too small")
                }
            case "maximum":
                if let number = value.number, let bound = rule.number, number > bound {
                    faults.append("\(path): too large")
                }
            case "pattern":
                guard let text = value.string, let pattern = rule.string, let regex = try? Regex(pattern) else {
                    continue
                }
                if text.firstMatch(of: regex) == nil { faults.append("\(path): \(text) is not \(pattern)") }
            default:
                faults.append("\(path): the checker does not know the keyword \(keyword)")
            }
        }
        return faults
    }

    /// What a reference points at.
    func resolve(_ reference: JSONValue) -> JSONValue? {
        guard let text = reference.string, text.hasPrefix("#/") else { return nil }
        return document[text.dropFirst(2).split(separator: "/").map(String.init)]
    }

    private func isOf(type: String, _ value: JSONValue) -> Bool {
        switch (type, value) {
        case ("null", .null), ("boolean", .boolean), ("string", .string), ("array", .array), ("object", .object),
            ("number", .number):
            true
        case ("integer", .number(let number)): number == number.rounded()
        default: false
        }
    }
}
