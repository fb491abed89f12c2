// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Probing
import Schema

/// The modules of `/probe` that are there without a configuration, under the names that people know from blackbox_exporter.
package enum BuiltInModules {
    /// Their declaration, as `probe_modules` would have it.
    package static let declaration = """
        probe_modules:
          - { name: http_2xx, probe: { type: http, redirects: 10 } }
          - { name: tcp_connect, probe: { type: tcp } }
          - { name: icmp, probe: { type: icmp } }
          - { name: dns, probe: { type: dns, dns: { name: ".", type: NS } } }
        """

    /// Adds those whose names are not taken; a module of the configuration replaces the built-in one of its name.
    static func completing(_ modules: [ProbeModule]) -> [ProbeModule] {
        let taken = Set(modules.map(\.name))
        return modules + all.filter { !taken.contains($0.name) }
    }

    private static let all: [ProbeModule] = {
        guard let root = try? YAMLReader.read(Array(declaration.utf8)) else {
            preconditionFailure("the built-in modules are not YAML")
        }
        var reader = SchemaReader(path: "", environment: [:], overrides: [:])
        let fields = ConfigurationSchema.root.fields.filter { $0.name == "probe_modules" }
        let object = reader.read(root, as: ObjectSchema("the built-in modules", fields: fields))
        let modules = ModuleAssembler().assemble(object.objects("probe_modules"), &reader)
        precondition(reader.faults.faults.isEmpty, "the built-in modules are faulty: \(reader.faults.faults)")
        return modules
    }()
}
