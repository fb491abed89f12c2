// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import NetworkPaths
import Probing
import Schema

/// Makes targets from checked mappings: determines each target's kind, checks its keys, and derives its id.
struct TargetAssembler {
    let nameEvaluation: PathRequest.NameEvaluation
    private let pinReader = PinReader()
    private let origin: TargetSettings.Origin
    /// The discovery source of the targets; nil for other origins.
    private let source: String?
    private let isPersistent: Bool
    private let policy: TargetPolicy?
    /// Targets that were declared elsewhere.
    private let others: DeclaredTargets?
    private var places: [String: ConfigurationDiagnostic.Place] = [:]

    /// - Parameters:
    ///   - policy: which targets may be declared; nil for all.
    ///   - others: existing targets, which the new ones may depend on.
    init(
        nameEvaluation: PathRequest.NameEvaluation,
        origin: TargetSettings.Origin = .config,
        source: String? = nil,
        isPersistent: Bool = true,
        policy: TargetPolicy? = nil,
        others: DeclaredTargets? = nil
    ) {
        self.nameEvaluation = nameEvaluation
        self.origin = origin
        self.source = source
        self.isPersistent = isPersistent
        self.policy = policy
        self.others = others
    }

    mutating func assemble(
        _ objects: [(index: Int, object: ValidatedMapping)],
        _ diagnostics: inout SchemaReader
    ) -> [TargetSettings] {
        var targets: [TargetSettings] = []
        targets.reserveCapacity(objects.count)
        places.reserveCapacity(objects.count)
        for (index, object) in objects {
            var problems = MappingDiagnostics(object: object, at: "/targets/\(index)")
            let subject = subject(object, &problems)
            // Also for a target with other faults: all are reported at once.
            let id = identifier(object, subject, &problems)
            let target = subject.flatMap { subject in id.map { settings(object, subject, id: $0, &problems) } }
            for diagnostic in problems.diagnostics {
                diagnostics.report(
                    diagnostic.code,
                    at: diagnostic.place,
                    pointer: diagnostic.pointer,
                    diagnostic.words,
                    hint: diagnostic.hint
                )
            }
            if let target { targets.append(target) }
        }
        checkDependencies(targets, objects, &diagnostics)
        return targets
    }

    /// The subject of a target, with its text.
    private struct Subject {
        var target: PathTarget
        var text: String
        var standardID: String
    }

    private func subject(_ object: ValidatedMapping, _ problems: inout MappingDiagnostics) -> Subject? {
        let kind = object.text("kind")
        let given = ["host", "address", "local_address"].filter(object.has)
        switch (kind, given) {
        case ("default"?, _):
            problems.refuse(given, "the default path has none")
            return defaultPath(object)
        case (nil, []) where !object.has("kind") && object.object("probe")?.text("url") != nil:
            return urlHost(object, &problems)
        case (nil, []) where !object.has("kind") && object.object("probe")?.has("url") == true:
            // It is there but faulty, which was already reported.
            return nil
        case (nil, []) where !object.has("kind"):
            let hint = "write host, address, local_address or kind: default"
            problems.add(.missingKey, at: nil, "the target has nothing to monitor", hint: hint)
            return nil
        case (_, []):
            let wanted = ["name": "host", "address": "address", "address_pair": "local_address and address"]
            let key = kind.flatMap { wanted[$0] } ?? "host"
            problems.add(.missingKey, at: nil, "a target of kind \(kind ?? "name") needs \(key)")
            return nil
        case (_, _) where given.count > 1 && given.first == "host":
            problems.add(.conflict, at: given[1], "a target has host or \(given[1]), not both")
            return nil
        default:
            break
        }
        problems.refuse(["family"].filter(object.has), "it is only for kind: default")
        if given == ["host"] { return host(object, kind, &problems) }
        problems.refuse(["names"].filter(object.has), "it is only for a host")
        let isPair = given.contains("local_address")
        if let kind, kind != (isPair ? "address_pair" : "address") {
            let made = isPair ? "local_address makes it address_pair" : "address makes it address"
            problems.add(.conflict, at: "kind", "the kind is \(kind), but \(made)", hint: "remove kind")
        }
        return isPair ? pair(object, given, &problems) : address(object, &problems)
    }

    /// The host in the URL that the probe requests.
    private func urlHost(_ object: ValidatedMapping, _ problems: inout MappingDiagnostics) -> Subject? {
        let url: HTTPURL
        do throws(HTTPURLError) {
            url = try HTTPURL(object.object("probe")?.text("url") ?? "")
        } catch {
            let words = "it cannot be made into a URL: \(error.message)"
            problems.add(.invalidValue, in: "probe", at: "url", words)
            return nil
        }
        if let address = IPAddress(url.host) {
            if let flaw = url.hostFlaw {
                problems.add(.invalidValue, in: "probe", at: "url", flaw.words, hint: flaw.hint)
            }
            return subject(address, url.interface)
        }
        return Subject(target: .name(url.host), text: url.writtenHost, standardID: url.host.lowercased())
    }

    private func defaultPath(_ object: ValidatedMapping) -> Subject {
        let family: AddressFamily? = object.text("family").map { $0 == "ipv4" ? .ipv4 : .ipv6 }
        let interface = object.text("interface")
        var id = "default"
        if let family { id += family == .ipv4 ? "-ipv4" : "-ipv6" }
        if let interface { id += "-\(interface)" }
        let text = "default" + (interface.map { "%\($0)" } ?? "")
        return Subject(target: .defaultPath(family: family, interface: interface), text: text, standardID: id)
    }

    private func host(_ object: ValidatedMapping, _ kind: String?, _ problems: inout MappingDiagnostics) -> Subject? {
        switch object["host"]?.value {
        case .host(let name, let written):
            if let kind, kind != "name" {
                problems.add(
                    .conflict,
                    at: "kind",
                    "the kind is \(kind), but host makes it name",
                    hint: "remove kind"
                )
            }
            problems.refuse(["interface"].filter(object.has), "a name cannot be bound to one; an address can")
            return Subject(target: .name(name), text: written, standardID: name.lowercased())
        case .address(let address, _):
            if let kind, kind != "name", kind != "address" {
                problems.add(
                    .conflict,
                    at: "kind",
                    "the kind is \(kind), but host makes it address",
                    hint: "remove kind"
                )
            }
            let subject = subject(address, object.text("interface"))
            refuse(subject.target, "host", &problems)
            return subject
        default:
            return nil
        }
    }

    private func address(_ object: ValidatedMapping, _ problems: inout MappingDiagnostics) -> Subject? {
        guard case .address(let address, let scope)? = object["address"]?.value else { return nil }
        let interface = object.text("interface")
        if let scope, let interface, scope != interface {
            problems.add(.conflict, at: "interface", "the address names the interface \(scope) already")
        }
        let subject = subject(address, interface ?? scope)
        refuse(subject.target, "address", &problems)
        return subject
    }

    /// Reports a target that is flawed as a whole.
    ///
    /// - Parameter key: the key with the address.
    private func refuse(_ target: PathTarget, _ key: String, _ problems: inout MappingDiagnostics) {
        guard let flaw = target.flaw else { return }
        switch (flaw, target) {
        case (.mixedFamilies, _):
            problems.add(.conflict, at: "local_address", "the pair \(flaw.words)", hint: flaw.hint)
        case (.linkLocalWithoutInterface(let address), .pair):
            let hint = "write address: \(address)%eth0, and no local_address"
            problems.add(.invalidValue, at: key, "\(address) \(flaw.words)", hint: hint)
        case (.linkLocalWithoutInterface(let address), _):
            let hint = "write address: \(address)%eth0, with the interface's name"
            problems.add(.invalidValue, at: key, "\(address) \(flaw.words)", hint: hint)
        }
    }

    private func subject(_ address: IPAddress, _ interface: String?) -> Subject {
        let text = "\(address)" + (interface.map { "%\($0)" } ?? "")
        let id = "\(address)" + (interface.map { "-\($0)" } ?? "")
        return Subject(target: .address(address, interface: interface), text: text, standardID: id)
    }

    private func pair(
        _ object: ValidatedMapping,
        _ given: [String],
        _ problems: inout MappingDiagnostics
    ) -> Subject? {
        problems.refuse(["interface"].filter(object.has), "the local address decides for a pair")
        guard case .address(let local, let localScope)? = object["local_address"]?.value else { return nil }
        if localScope != nil { problems.add(.conflict, at: "local_address", "a local address has no interface") }
        guard given.contains("address") else {
            return Subject(target: .pair(local: local, remote: nil), text: "\(local)>", standardID: "from-\(local)")
        }
        guard case .address(let remote, let scope)? = object["address"]?.value else { return nil }
        if scope != nil {
            problems.add(.conflict, at: "address", "the local address decides for a pair, not an interface")
        }
        let target = PathTarget.pair(local: local, remote: remote)
        // A missing interface was already reported.
        if scope == nil { refuse(target, "address", &problems) }
        return Subject(target: target, text: "\(local)>\(remote)", standardID: "\(local)-to-\(remote)")
    }

    /// The target's id, distinct from those before it.
    private mutating func identifier(
        _ object: ValidatedMapping,
        _ subject: Subject?,
        _ problems: inout MappingDiagnostics
    ) -> String? {
        let declaredID = object.text("id")
        if declaredID == nil, object.boolean("hide_address") == true {
            let words = "a target that hides its address needs an id: one derived from the address would reveal it"
            problems.add(.missingKey, at: "hide_address", words, hint: "write id")
            return nil
        }
        guard let id = declaredID ?? subject?.standardID else { return nil }
        guard TextForm.isIdentifier(id) else {
            // Names of interfaces and hosts may have characters that ids cannot have, or be too long.
            problems.add(
                .missingKey,
                at: nil,
                "no id can be derived from \((subject?.text ?? id).quoted)",
                hint: "give the target an id"
            )
            return nil
        }
        let place = declaredID == nil ? object.place : object.place(of: "id")
        if let first = places.updateValue(place, forKey: id) {
            places[id] = first
            var words = "another target has the id \(id.quoted)"
            if let there = first.words(seenFrom: place) { words += ", \(there)" }
            let hint = declaredID == nil ? "give this one its own id" : nil
            problems.add(.duplicateID, at: declaredID == nil ? nil : "id", words, hint: hint)
        }
        return id
    }

    /// How many cycles of dependencies are reported.
    private static let maximumCycles = 20

    /// Finds dependencies on targets that do not exist, and cycles.
    private func checkDependencies(
        _ targets: [TargetSettings],
        _ objects: [(index: Int, object: ValidatedMapping)],
        _ diagnostics: inout SchemaReader
    ) {
        guard targets.contains(where: { !$0.dependsOn.isEmpty }) else { return }
        // Without a faulty target, others would seem to depend on missing ones.
        guard targets.count == objects.count else { return }
        let own = Set(targets.map(\.id))
        for (target, (index, object)) in zip(targets, objects) {
            for (number, parent) in target.dependsOn.enumerated()
            where !own.contains(parent) && others?.contains(parent) != true {
                let list = object.list("depends_on")
                let whole = object.place(of: "depends_on")
                let place = list.indices.contains(number) ? list[number].place : whole
                diagnostics.report(
                    .badReference,
                    at: place,
                    pointer: "/targets/\(index)/depends_on" + (place == whole ? "" : "/\(number)"),
                    "there is no target \(parent.quoted) to depend on"
                )
            }
        }
        var edges = targets.map { (id: $0.id, dependsOn: $0.dependsOn) }
        // A cycle can only lead through the others if one of them depends on a target of the list.
        if let others, targets.contains(where: { others.hasChildren($0.id) }) {
            edges += others.ancestors(of: edges)
        }
        // A dependency of another target may be gone, and those that are missing are reported above.
        let known = Set(edges.map(\.id))
        edges = edges.map { (id: $0.id, dependsOn: $0.dependsOn.filter(known.contains)) }
        for _ in 0..<Self.maximumCycles {
            guard let ids = ParentGraph.cycle(in: edges),
                let position = targets.firstIndex(where: { ids.contains($0.id) })
            else { return }
            // Further ones do not lead through this target.
            edges = edges.map { $0.id == targets[position].id ? (id: $0.id, dependsOn: []) : $0 }
            let (index, object) = objects[position]
            diagnostics.report(
                .badReference,
                at: object.place(of: "depends_on"),
                pointer: "/targets/\(index)/depends_on",
                "targets depend on each other: " + (ids + ids.prefix(1)).joined(separator: " on ")
            )
        }
    }

    private func settings(
        _ object: ValidatedMapping,
        _ subject: Subject,
        id: String,
        _ problems: inout MappingDiagnostics
    ) -> TargetSettings {
        let mark = object.integer("mark").flatMap(UInt32.init(exactly:))
        let probe = object.object("probe").flatMap { probe in
            ProbeAssembler(
                object: probe,
                target: object,
                subject: subject.target,
                mark: mark,
                pinReader: pinReader
            ).assemble(&problems)
        }
        policy?.check(subject.target, probe?.method, object, &problems)
        let judgement = object.text("names").flatMap(PathRequest.NameEvaluation.init) ?? nameEvaluation
        return TargetSettings(
            id: id,
            name: object.text("name"),
            request: PathRequest(
                subject.target,
                mark: mark,
                nameEvaluation: judgement
            ),
            text: subject.text,
            port: object.integer("port").flatMap(UInt16.init(exactly:)),
            group: object.text("group"),
            tags: object.labels("tags"),
            probe: probe,
            dependsOn: object.values("depends_on").compactMap { if case .text(let id) = $0 { id } else { nil } },
            maintenance: MaintenanceAssembler.assemble(object, &problems),
            origin: origin,
            source: source,
            hidesAddress: object.boolean("hide_address") ?? false,
            isPersistent: isPersistent
        )
    }
}
