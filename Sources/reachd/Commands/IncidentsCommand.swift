// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import ArgumentParser
import BlockingHTTP
import Configuration
import JSON
import LinuxIO
import Monitoring
import Schema

/// `reachd incidents`
struct IncidentsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "incidents",
        abstract: "List incidents, show one, acknowledge or mute it, or add a note.",
        discussion: """
            Queries a running service. An incident is one cause and the targets that fail for it. With an id shows evidence, \
            timeline, notes and members, with --explain also why the fault was found there. With --json prints the answer to GET /incidents or GET /incidents/ID unchanged.

            Exit status: 0 success, 2 usage or unknown incident, 69 no answer, 76 the server is not reachd, 77 a token is \
            required, 78 invalid configuration.

            Examples:
              reachd incidents --state open
              reachd incidents 5f0c9a7e31d204b8-42
              reachd incidents 5f0c9a7e31d204b8-42 --explain
              reachd incidents 5f0c9a7e31d204b8-42 --ack --by anna --note 'the disk is full'
              reachd incidents 5f0c9a7e31d204b8-42 --mute 2h
              reachd incidents 5f0c9a7e31d204b8-42 --announce 'We are replacing a disk.'
            """
    )

    /// The states of incidents.
    enum State: String, CaseIterable, ExpressibleByArgument {
        case open, closed
    }

    /// A second to a year, in milliseconds.
    private static let muteBounds: ClosedRange<Int> = 1_000...31_622_400_000
    /// Members that a report lists.
    private static let listed = 20

    @Argument(help: ArgumentHelp("The incident; without one, incidents are listed.", valueName: "id"))
    var id: String?

    @Option(help: "Only open or closed incidents.")
    var state: State?

    @Option(
        help: ArgumentHelp("Only incidents with this target; may be repeated.", valueName: "id"),
        completion: .targets
    )
    var target: [String] = []

    @Option(help: ArgumentHelp("Only incidents with a target of this group; may be repeated.", valueName: "name"))
    var group: [String] = []

    @Option(help: ArgumentHelp("Only incidents that were open at this time or later.", valueName: "time"))
    var since: String?

    @Option(help: ArgumentHelp("Only incidents that were opened before this time.", valueName: "time"))
    var until: String?

    @Option(help: ArgumentHelp("The most incidents to list, 1 to 1000.", valueName: "number"))
    var limit = 100

    @Flag(
        help:
            "Show which elements of the way were considered, what was observed of each, and why the fault was found there."
    )
    var explain = false

    @Flag(help: "Take care of the incident: other people see the name of --by.")
    var ack = false

    @Flag(help: "Take no care of it any more.")
    var unack = false

    @Option(help: ArgumentHelp("Send no notifications of it for this time.", valueName: "duration"))
    var mute: String?

    @Flag(help: "Send notifications of it again.")
    var unmute = false

    @Option(help: ArgumentHelp("Add a note.", valueName: "text"))
    var note: String?

    @Option(help: ArgumentHelp("Add a note that the public status page shows, without the name.", valueName: "text"))
    var announce: String?

    @Option(help: ArgumentHelp("The name for --ack and notes (default: LOGNAME or USER).", valueName: "name"))
    var by: String?

    @OptionGroup
    var scope: ScopeOptions

    @OptionGroup
    var output: OutputOptions

    @OptionGroup
    var service: ServiceOptions

    private var isChange: Bool { ack || unack || mute != nil || unmute || note != nil || announce != nil }
    private var isFiltered: Bool {
        state != nil || !target.isEmpty || !group.isEmpty || since != nil || until != nil
    }

    func validate() throws {
        guard id != nil || !isChange else {
            throw ValidationError("--ack, --unack, --mute, --unmute, --note and --announce need the id of an incident.")
        }
        guard id != nil || !explain else { throw ValidationError("--explain needs the id of an incident.") }
        guard id == nil || !isFiltered else { throw ValidationError("Use either an id or filters.") }
        guard id?.isEmpty != true else { throw ValidationError("The id is empty.") }
        guard !(ack && unack), !(mute != nil && unmute) else {
            throw ValidationError("Use either --ack or --unack, and either --mute or --unmute.")
        }
        guard note == nil || announce == nil else { throw ValidationError("Use either --note or --announce.") }
        guard (1...1_000).contains(limit) else { throw ValidationError("--limit takes a number from 1 to 1000.") }
    }

    func run() throws {
        let client = try service.client()
        guard let id else { return try list(client) }
        let path = "/incidents/" + URLText.escaped(id)
        var query = URLQuery()
        query.add("limit", "\(Self.listed)")
        scope.add(to: &query)
        let (incident, answer) =
            isChange
            ? try client.patch(path + scope.text, try patch(), accepting: [200, 202, 400, 404])
            : try client.document(path + query.text, accepting: [200, 400, 404])
        if answer.status == 202 {
            StandardStream.error.write(
                line: "The fleet has no coordinator at the moment; the next one applies the change."
            )
        }
        guard answer.status == 200 || answer.status == 202 else {
            guard incident["type"]?.text == "urn:reachd:problem:unknown_incident" else { throw client.complain(answer) }
            throw CommandError.report("unknown incident \(id); reachd incidents lists all", .usage)
        }
        guard incident["title"]?.text != nil else {
            throw CommandError.report("\(client.place) does not answer like reachd; check --url", .protocolFault)
        }
        if output.json { return StandardStream.output.write(json: answer.body) }
        let report = IncidentReport(
            incident,
            now: SystemWallClock().now(),
            listed: Self.listed,
            explained: explain
        )
        StandardStream.output.write(line: report.lines(on: output.terminal).joined(separator: "\n"))
    }

    private func list(_ client: ServiceClient) throws {
        var query = URLQuery()
        if let state { query.add("state", state.rawValue) }
        query.add("target", each: target)
        query.add("group", each: group)
        if let since { query.add("since", since) }
        if let until { query.add("until", until) }
        query.add("limit", "\(limit)")
        scope.add(to: &query)
        let (list, answer) = try client.document("/incidents" + query.text)
        if output.json { return StandardStream.output.write(json: answer.body) }
        let rows = IncidentRows(list, now: SystemWallClock().now())
        guard !rows.isEmpty else {
            return StandardStream.error.write(line: isFiltered ? "no incidents match" : "no incidents")
        }
        StandardStream.output.write(line: rows.lines(on: output.terminal).joined(separator: "\n"))
    }

    /// The merge patch of the options.
    private func patch() throws -> [UInt8] {
        var writer = JSONWriter()
        let text = note ?? announce
        let name = try ack || text != nil ? author() : ""
        let end = try mute.map { try mutedUntil($0) }
        writer.object { writer in
            if ack { writer.member("acknowledged_by", name) }
            if unack { writer.null(at: "acknowledged_by") }
            if let end { writer.member("muted_until", end) }
            if unmute { writer.null(at: "muted_until") }
            if let text {
                writer.member("note") { writer in
                    writer.member("author", name)
                    writer.member("text", text)
                    if announce != nil { writer.member("public", true) }
                }
            }
        }
        return writer.bytes
    }

    private func author() throws -> String {
        let environment = ProcessEnvironment.variables()
        guard let name = by ?? ["LOGNAME", "USER"].compactMap({ environment[$0] }).first(where: { !$0.isEmpty }) else {
            throw CommandError.report("--ack and notes need a name; pass one with --by", .usage)
        }
        return name
    }

    private func mutedUntil(_ text: String) throws -> Timestamp {
        do throws(ConfigurationDiagnostic) {
            let length = try OptionText.duration(text, option: "--mute", milliseconds: Self.muteBounds)
            return Timestamp(milliseconds: SystemWallClock().now().milliseconds + length.components.seconds * 1_000)
        } catch {
            throw CommandError.report(error.description, .usage)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func null(at name: StaticString) {
        key(name)
        null()
    }
}
