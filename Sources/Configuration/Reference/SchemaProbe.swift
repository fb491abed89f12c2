// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Schema

/// Asks the reader what it makes of one value at one key.
enum SchemaProbe {
    /// The faults of a key with a value, as YAML has it on one line.
    static func faults(of field: Field, written value: String) -> [ConfigurationFault] {
        let text = Array("\(field.name): \(value)\n".utf8)
        do throws(YAMLError) {
            let root = try YAMLReader.read(text)
            var reader = SchemaReader(path: "reachd.yaml", environment: [:], overrides: [:])
            _ = reader.read(root, as: ObjectSchema("an example", fields: [field]))
            return reader.faults.faults
        } catch {
            return [ConfigurationFault(.syntax, at: .option(field.name), "this is not YAML")]
        }
    }
}
