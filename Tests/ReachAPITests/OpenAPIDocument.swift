// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Yams

@testable import ReachAPI

/// The contract as it is served.
enum OpenAPIDocument {
    /// Read once: it is long.
    private static let loaded = Result { value(try Yams.load(yaml: Fixture().respond("/openapi.yaml").text)) }

    static func load() throws -> JSONValue {
        try loaded.get()
    }

    private static func value(_ any: Any?) -> JSONValue {
        switch any {
        case let value as Bool: .boolean(value)
        case let value as Int: .number(Double(value))
        case let value as Double: .number(value)
        case let value as String: .string(value)
        case let value as [Any]: .array(value.map { Self.value($0) })
        case let value as [AnyHashable: Any]:
            .object(Dictionary(uniqueKeysWithValues: value.map { ("\($0)", Self.value($1)) }))
        default: .null
        }
    }
}
