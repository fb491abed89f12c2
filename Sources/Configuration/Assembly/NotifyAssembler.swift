// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Monitoring
import NetworkPaths
import Notifying
import Probing
import Schema

/// Makes notification receivers from checked mappings.
struct NotifyAssembler {
    private static let limit = 100

    let root: ValidatedMapping

    func assemble(_ diagnostics: inout SchemaReader) -> [ReceiverSettings] {
        var receivers: [ReceiverSettings] = []
        var names: Set<String> = []
        for (index, object) in root.objects("notify") {
            let pointer = "/notify/\(index)"
            let name = object.text("name") ?? ""
            if object.has("name"), !names.insert(name).inserted {
                diagnostics.report(
                    .duplicateValue,
                    at: object.place(of: "name"),
                    pointer: "\(pointer)/name",
                    "\(name.quoted) occurs twice",
                    hint: "a receiver's position in the log is stored under its name"
                )
            }
            let (escalation, reminder) = (object.duration("after"), object.duration("remind"))
            let quiet = quietHours(object, pointer, &diagnostics)
            let severities = severities(object, pointer, &diagnostics)
            receivers += channels(object, pointer, &diagnostics).map { suffix, channel in
                var receiver = ReceiverSettings(name: suffix.map { "\(name)/\($0)" } ?? name, channel: channel)
                if let filter = object.object("filter") {
                    ConfigurationSchema.notificationFilterKeys.read(filter, into: &receiver.filter)
                }
                ConfigurationSchema.receiverKeys.read(object, into: &receiver)
                (receiver.schedule.escalation, receiver.schedule.reminder) = (escalation, reminder)
                (receiver.schedule.quiet, receiver.severities) = (quiet, severities)
                return receiver
            }
        }
        if receivers.count > Self.limit {
            diagnostics.report(
                .outOfRange,
                at: root.place(of: "notify"),
                pointer: "/notify",
                "there are \(receivers.count) receivers, more than \(Self.limit)"
            )
        }
        return receivers
    }

    private func channels(
        _ object: ValidatedMapping,
        _ pointer: String,
        _ diagnostics: inout SchemaReader
    ) -> [(suffix: String?, channel: ReceiverSettings.Channel)] {
        let names = ["webhook", "alertmanager"] + MessagingService.all.map(\.name) + ["email"]
        let present = names.filter(object.has)
        guard present.count == 1 else {
            diagnostics.report(
                present.isEmpty ? .missingKey : .conflict,
                at: object.place,
                pointer: pointer,
                present.isEmpty
                    ? "a receiver needs a channel"
                    : "a receiver has one channel, not \(present.formatted(last: "and"))",
                hint: "write one of \(names.joined(separator: ", "))"
            )
            return []
        }
        if let service = MessagingService.named(present[0]), let section = object.object(service.name) {
            return self.service(service, section, "\(pointer)/\(service.name)", &diagnostics).map {
                [(nil, .service($0))]
            } ?? []
        }
        if let section = object.object("email") {
            return email(section, "\(pointer)/email", &diagnostics).map { [(nil, .email($0))] } ?? []
        }
        if let section = object.object("webhook") {
            return webhook(section, "\(pointer)/webhook", &diagnostics).map { [(nil, .webhook($0))] } ?? []
        }
        guard let section = object.object("alertmanager") else { return [] }
        let managers = alertmanagers(section, "\(pointer)/alertmanager", &diagnostics)
        let isOne = managers.count == 1
        return managers.map { (isOne ? nil : $0.request.url.authority, .alertmanager($0)) }
    }

    // MARK: What all channels have

    private func quietHours(
        _ object: ValidatedMapping,
        _ pointer: String,
        _ diagnostics: inout SchemaReader
    ) -> QuietHours {
        var quiet = QuietHours()
        if let word = object.text("quiet_except") { quiet.exception = Severity(rawValue: word) }
        guard let hours = object["quiet_hours"] else { return quiet }
        // The windows are those of a target's maintenance.
        var target = ValidatedMapping(ConfigurationSchema.target, at: object.place)
        target.set("maintenance", hours.value, at: hours.place)
        var problems = MappingDiagnostics(object: target, at: "/targets/0")
        quiet.windows = MaintenanceAssembler.assemble(target, &problems)
        let prefix = "/targets/0/maintenance"
        for diagnostic in problems.diagnostics {
            diagnostics.report(
                diagnostic.code,
                at: diagnostic.place,
                pointer: "\(pointer)/quiet_hours" + diagnostic.pointer.dropFirst(prefix.count),
                diagnostic.words,
                hint: diagnostic.hint
            )
        }
        return quiet
    }

    private func severities(
        _ object: ValidatedMapping,
        _ pointer: String,
        _ diagnostics: inout SchemaReader
    ) -> SeverityRules {
        var rules = SeverityRules()
        guard let section = object.object("severity") else { return rules }
        for (key, home) in [("targets", \SeverityRules.targets), ("groups", \SeverityRules.groups)] {
            for (name, word) in section.labels(key) {
                rules[keyPath: home][name] = Severity(rawValue: word)
                guard Severity(rawValue: word) == nil else { continue }
                diagnostics.report(
                    .invalidValue,
                    at: section.place(of: key),
                    pointer: "\(pointer)/severity/\(key)",
                    "\(word.quoted) is not a severity",
                    hint: "write info, warning or critical"
                )
            }
        }
        return rules
    }

    // MARK: Channels

    private func webhook(
        _ section: ValidatedMapping,
        _ pointer: String,
        _ diagnostics: inout SchemaReader
    ) -> WebhookSettings? {
        guard let text = section.text("url") else { return nil }
        let place = section.place(of: "url")
        var template: URLTemplate?
        var url = text
        if URLTemplate.isTemplate(text) {
            do throws(TemplateError) {
                template = try URLTemplate(text)
                // The rest of the URL is checked as any other.
                url = template?.sample?.text ?? text
            } catch {
                diagnostics.report(
                    .invalidValue,
                    at: place,
                    pointer: "\(pointer)/url",
                    error.message,
                    hint: error.hint
                )
                return nil
            }
        }
        guard let request = request(section, url: url, at: place, pointer, &diagnostics) else { return nil }
        var settings = WebhookSettings(request: request)
        settings.urlTemplate = template
        settings.headerFiles = headerFiles(section, pointer, &diagnostics)
        settings.timeout = section.duration("timeout") ?? settings.timeout
        ConfigurationSchema.webhookKeys.read(section, into: &settings)
        guard let body = section.text("body") else { return settings }
        do throws(TemplateError) {
            settings.template = try MessageTemplate(body, form: .init(contentType: settings.contentType))
        } catch {
            diagnostics.report(
                .invalidValue,
                at: section.place(of: "body"),
                pointer: "\(pointer)/body",
                error.message,
                hint: error.hint
            )
        }
        return settings
    }

    private func service(
        _ service: MessagingService,
        _ section: ValidatedMapping,
        _ pointer: String,
        _ diagnostics: inout SchemaReader
    ) -> ServiceSettings? {
        let urlFile = service.takesURLFile ? section.text("url_file") : nil
        if service.takesURLFile, section.has("url") == section.has("url_file") {
            diagnostics.report(
                section.has("url") ? .conflict : .missingKey,
                at: section.place,
                pointer: pointer,
                "\(service.name) needs either url or url_file"
            )
            return nil
        }
        let hasRegions = !service.regions.isEmpty
        if hasRegions, section.isWritten("url"), section.isWritten("region") {
            diagnostics.report(
                .conflict,
                at: section.place(of: "region"),
                pointer: "\(pointer)/region",
                "\(service.name) takes either url or region"
            )
            return nil
        }
        let regional =
            hasRegions && !section.isWritten("url") ? section.text("region").flatMap { service.regions[$0] } : nil
        // The file's URL is known when a message is sent; only the connection's keys matter until then.
        guard let url = regional ?? section.text("url") ?? urlFile.map({ _ in "https://localhost/" }),
            let request = request(section, url: url, at: section.place(of: "url"), pointer, &diagnostics)
        else { return nil }
        var settings = ServiceSettings(service: service.name, request: request)
        settings.urlFile = urlFile
        for field in service.fields { settings.texts[field.name] = section.text(field.name) }
        settings.timeout = section.duration("timeout") ?? settings.timeout
        settings.externalURL = section.text("external_url")
        return settings
    }

    private func email(
        _ section: ValidatedMapping,
        _ pointer: String,
        _ diagnostics: inout SchemaReader
    ) -> MailSettings? {
        guard let url = section.text("url"), let from = section.text("from") else { return nil }
        let count = diagnostics.diagnostics.diagnostics.count
        func report(_ key: String, _ words: String, hint: String? = nil) {
            diagnostics.report(
                .invalidValue,
                at: section.place(of: key),
                pointer: "\(pointer)/\(key)",
                words,
                hint: hint
            )
        }
        let to = section.texts("to")
        for (key, addresses) in [("from", [from]), ("to", to)] {
            for address in addresses where !MailSettings.isAddress(address) {
                report(key, "\(address.quoted) is not a mail address", hint: "write user@example.org, without a name")
            }
        }
        if section.has("to"), to.isEmpty { report("to", "the list is empty") }
        if to.count > 100 { report("to", "there are \(to.count) addresses, more than 100") }
        if section.has("user") != section.has("password_file") {
            report(section.has("user") ? "user" : "password_file", "user and password_file need each other")
        }
        do throws(HTTPURLError) {
            var server = try MailServer(url)
            if section.boolean("starttls") == false {
                if server.security == .tls { report("starttls", "smtps:// has TLS from the start") }
                if section.has("user") { report("user", "the password would be sent without TLS") }
                server.security = .none
            }
            if let user = section.text("user"), let file = section.text("password_file") { server.login = (user, file) }
            // The keys are those of an http probe, and checked by the same code.
            let literal = server.host + (server.interface.map { "%25\($0)" } ?? "")
            let stand = "https://\(server.host.contains(":") ? "[\(literal)]" : server.host):\(server.port)/"
            guard let request = request(section, url: stand, at: section.place(of: "url"), pointer, &diagnostics) else {
                return nil
            }
            server.tls = request.tls
            guard diagnostics.diagnostics.diagnostics.count == count else { return nil }
            var settings = MailSettings(server: server, from: from, to: to)
            settings.timeout = section.duration("timeout") ?? settings.timeout
            settings.externalURL = section.text("external_url")
            return settings
        } catch {
            report("url", error.description)
            return nil
        }
    }

    private func alertmanagers(
        _ section: ValidatedMapping,
        _ pointer: String,
        _ diagnostics: inout SchemaReader
    ) -> [AlertmanagerSettings] {
        let urls = section.texts("urls")
        if urls.isEmpty, case .list? = section["urls"]?.value {
            diagnostics.report(
                .invalidValue,
                at: section.place(of: "urls"),
                pointer: "\(pointer)/urls",
                "the list is empty"
            )
        }
        let files = headerFiles(section, pointer, &diagnostics)
        var authorities: Set<String> = []
        return urls.enumerated().compactMap { index, text in
            let listed = section.list("urls")
            let place = listed.indices.contains(index) ? listed[index].place : section.place(of: "urls")
            let base = text.hasSuffix("/") ? String(text.dropLast()) : text
            let url = base.hasSuffix("/api/v2/alerts") ? base : "\(base)/api/v2/alerts"
            guard let request = request(section, url: url, at: place, pointer, isFirst: index == 0, &diagnostics) else {
                return nil
            }
            if !authorities.insert(request.url.authority).inserted {
                diagnostics.report(
                    .duplicateValue,
                    at: place,
                    pointer: "\(pointer)/urls/\(index)",
                    "its server occurs twice"
                )
            }
            var settings = AlertmanagerSettings(request: request)
            settings.headerFiles = files
            settings.timeout = section.duration("timeout") ?? settings.timeout
            ConfigurationSchema.alertmanagerKeys.read(section, into: &settings)
            if index == 0 { checkLabels(section, pointer, &diagnostics) }
            return settings
        }
    }

    private func checkLabels(_ section: ValidatedMapping, _ pointer: String, _ diagnostics: inout SchemaReader) {
        for name in section.labels("labels").keys.sorted() where !AlertmanagerSettings.isLabelName(name) {
            diagnostics.report(
                .invalidValue,
                at: section.place(of: "labels"),
                pointer: "\(pointer)/labels",
                "\(name.quoted) is not a label name",
                hint:
                    "use letters, digits and _, not a digit first; alertname, target, group, severity and cause are "
                    + "reserved"
            )
        }
    }

    private func headerFiles(
        _ section: ValidatedMapping,
        _ pointer: String,
        _ diagnostics: inout SchemaReader
    ) -> [String: String] {
        let files = section.labels("header_files")
        for (name, file) in files.sorted(by: { $0.key < $1.key }) {
            let isHeader = HTTPHeader(name: name, value: "") != nil
            guard !isHeader || !file.hasPrefix("/") else { continue }
            diagnostics.report(
                .invalidValue,
                at: section.place(of: "header_files"),
                pointer: "\(pointer)/header_files",
                // The value may be the secret itself: it is not repeated.
                isHeader
                    ? "the value of \(name.quoted) is not a path from the root"
                    : "\(name.quoted) is not a header name",
                hint: isHeader ? "write the path of the file that contains the value" : nil
            )
        }
        return files
    }

    /// A request like that of an `http` probe: the same keys have the same meaning here, and are checked by the same
    /// code.
    private func request(
        _ section: ValidatedMapping,
        url: String,
        at place: ConfigurationDiagnostic.Place,
        _ pointer: String,
        isFirst: Bool = true,
        _ diagnostics: inout SchemaReader
    ) -> HTTPProbeSettings? {
        var probe = ValidatedMapping(ConfigurationSchema.probe, at: section.place)
        probe.set("url", .text(url), at: place)
        for key in ["headers", "auth", "proxy", "tls"] where section.schema.field(key) != nil {
            if let located = section[key] { probe.set(key, located.value, at: located.place) }
        }
        if section.schema.field("method") != nil, let method = section["method"] {
            probe.set("method", method.value, at: method.place)
        } else {
            probe.set("method", .text("POST"), at: section.place)
        }
        var target = ValidatedMapping(ConfigurationSchema.target, at: section.place)
        target.set("probe", .object(probe), at: section.place)
        var declaration = ProbeDeclaration(
            probe,
            of: target,
            host: .name("localhost"),
            timeout: .seconds(5),
            problems: MappingDiagnostics(object: target, at: "/targets/0")
        )
        let kind = ProbeKind.named("http")?.read(&declaration)
        let prefix = "/targets/0/probe"
        for diagnostic in declaration.problems.diagnostics where isFirst || diagnostic.pointer == "\(prefix)/url" {
            diagnostics.report(
                diagnostic.code,
                at: diagnostic.place,
                pointer: pointer + diagnostic.pointer.dropFirst(prefix.count),
                diagnostic.words,
                hint: diagnostic.hint
            )
        }
        guard case .http(let settings)? = kind else { return nil }
        if let flaw = settings.url.hostFlaw {
            diagnostics.report(.invalidValue, at: place, pointer: "\(pointer)/url", flaw.words, hint: flaw.hint)
        }
        return settings
    }
}
