// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import NetworkPaths
import Probing
import Schema

/// Makes the modules of `/probe` from checked mappings, each checked with a sample target.
struct ModuleAssembler {
    private static let schedule = [
        "interval", "fall", "rise", "confirm_interval", "backoff_percent", "max_interval", "jitter_percent",
        "flap_detection", "grace",
    ]

    /// The timeout for requests without a timeout header.
    private static let standardTimeout = Duration.milliseconds(119_500)

    func assemble(
        _ objects: [(index: Int, object: ValidatedMapping)],
        _ diagnostics: inout SchemaReader
    ) -> [ProbeModule] {
        var names: Set<String> = []
        return objects.compactMap { index, object in
            let pointer = "/probe_modules/\(index)"
            guard let name = object.text("name"), let probe = object.object("probe") else { return nil }
            if !names.insert(name).inserted {
                diagnostics.report(
                    .duplicateValue,
                    at: object.place(of: "name"),
                    pointer: "\(pointer)/name",
                    "another module has the name \(name.quoted)"
                )
            }
            refuse(probe, "\(pointer)/probe", &diagnostics)
            return module(name, probe, pointer, &diagnostics)
        }
    }

    /// Refuses keys that only a target can have, or that the request provides.
    private func refuse(_ probe: ValidatedMapping, _ pointer: String, _ diagnostics: inout SchemaReader) {
        if let type = probe.text("type"), ProbeKind.named(type) == nil {
            diagnostics.report(
                .conflict,
                at: probe.place(of: "type"),
                pointer: "\(pointer)/type",
                "a module runs probes, but \(type) \(type == ConfigurationSchema.push ? "waits for calls" : "sends none")"
            )
        }
        if probe.isWritten("url") {
            diagnostics.report(
                .conflict,
                at: probe.place(of: "url"),
                pointer: "\(pointer)/url",
                "url is not allowed here: the request's target is the URL",
                hint: "remove it"
            )
        }
        for key in Self.schedule where probe.isWritten(key) {
            diagnostics.report(
                .conflict,
                at: probe.place(of: key),
                pointer: "\(pointer)/\(key)",
                "\(key) is for targets: a module runs at each scrape",
                hint: "remove it"
            )
        }
    }

    private func module(
        _ name: String,
        _ probe: ValidatedMapping,
        _ pointer: String,
        _ diagnostics: inout SchemaReader
    ) -> ProbeModule? {
        guard let type = probe.text("type"), let kind = ProbeKind.named(type) else { return nil }
        var trial = probe
        // No timeout is longer than this.
        trial.set("interval", .duration(.seconds(86_400)), at: probe.place)
        if probe.isWritten("url") { return nil }
        if !probe.has("timeout") { trial.set("timeout", .duration(Self.standardTimeout), at: probe.place) }
        var sample = ValidatedMapping(ConfigurationSchema.target, at: probe.place)
        sample.set("host", .host("target.invalid"), at: probe.place)
        let port = kind.description.port
        if port != ProbeKindDescription.Port.none, port != .url, !probe.has("port") {
            sample.set("port", .integer(1), at: probe.place)
        }
        sample.set("probe", .object(trial), at: probe.place)
        var problems = MappingDiagnostics(object: sample, at: "/targets/0")
        let plan = ProbeAssembler(
            object: trial,
            target: sample,
            subject: .name("target.invalid"),
            mark: nil,
            pinReader: PinReader()
        ).assemble(&problems)
        for diagnostic in problems.diagnostics
        where !Self.schedule.contains(where: { diagnostic.pointer.hasSuffix("probe/\($0)") }) {
            diagnostics.report(
                diagnostic.code,
                at: diagnostic.place,
                pointer: pointer + diagnostic.pointer.dropFirst("/targets/0".count),
                diagnostic.words,
                hint: diagnostic.hint
            )
        }
        guard case .ask(let request)? = plan?.method else { return nil }
        return ProbeModule(
            name: name,
            template: request,
            hasPort: probe.has("port"),
            hasTimeout: probe.has("timeout")
        )
    }
}

/// The built-in modules of `/probe`, under the names known from blackbox_exporter.
package enum BuiltInModules {
    /// Their declaration, in the format of `probe_modules`.
    package static let declaration = """
        probe_modules:
          - { name: http_2xx, probe: { type: http, redirects: 10 } }
          - { name: tcp_connect, probe: { type: tcp } }
          - { name: icmp, probe: { type: icmp } }
          - { name: dns, probe: { type: dns, dns: { name: ".", type: NS } } }
        """

    /// Adds the built-in modules whose names are not taken; a module of the configuration replaces the built-in one of
    /// its name.
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
        precondition(
            reader.diagnostics.diagnostics.isEmpty,
            "the built-in modules are faulty: \(reader.diagnostics.diagnostics)"
        )
        return modules
    }()
}
