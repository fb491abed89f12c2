// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import Configuration
import Schema

/// The modules of blackbox_exporter that the probe jobs of Prometheus name.
struct PrometheusModules {
    /// Modules by name, each made when it is first needed; nil for one that reachd cannot express.
    private var probes: [String: ImportedProbe?] = [:]
    private var importer = BlackboxImporter()
    private let pairs: [YAMLNode.Pair]
    private let origin: ForeignOrigin
    /// Whether no file of modules was found, so that the exporter's own are used.
    let isStandard: Bool
    private var standard: Set<String> = []

    /// Modules of a file.
    init(_ root: YAMLNode, origin: ForeignOrigin) {
        var pairs: [YAMLNode.Pair] = []
        if case .mapping(let modules)? = root["modules"]?.content { pairs = modules }
        self.pairs = pairs
        self.origin = origin
        isStandard = false
    }

    /// The modules of blackbox_exporter's own configuration file, as far as reachd can express them.
    init() {
        let text = """
            modules:
              http_2xx: { prober: http, http: { preferred_ip_protocol: ip4 } }
              http_post_2xx: { prober: http, http: { method: POST } }
              tcp_connect: { prober: tcp }
              pop3s_banner: { prober: tcp, tcp: { tls: true, query_response: [ { expect: "^+OK" } ] } }
              grpc: { prober: grpc, grpc: { tls: true, preferred_ip_protocol: ip4 } }
              grpc_plain: { prober: grpc, grpc: { service: service1 } }
              ssh_banner: { prober: tcp, tcp: { query_response: [ { expect: "^SSH-2.0-" }, { send: SSH-2.0-blackbox-ssh-check } ] } }
              icmp: { prober: icmp }
              icmp_ttl5: { prober: icmp, timeout: 5s, icmp: { ttl: 5 } }
            """
        let root = try? YAMLReader.read(Array(text.utf8))
        var pairs: [YAMLNode.Pair] = []
        if case .mapping(let modules)? = root?["modules"]?.content { pairs = modules }
        self.pairs = pairs
        origin = ForeignOrigin(file: "blackbox_exporter")
        isStandard = true
    }

    /// Finds the modules: those of the given file, of the same file, of one beside it, or the exporter's own.
    ///
    /// - Throws: ``ConfigurationDiagnostics`` for a given file that cannot be used.
    static func find(
        _ own: ForeignPart?,
        _ path: String?,
        _ files: ForeignFiles,
        at node: YAMLNode,
        _ draft: inout ImportDraft
    ) throws(ConfigurationDiagnostics) -> PrometheusModules {
        if let path {
            guard let part = try read(path) else {
                let words = "the file has no modules of blackbox_exporter"
                throw ConfigurationDiagnostics([.init(.invalidValue, at: .file(path, nil), words)])
            }
            return PrometheusModules(part.root, origin: part.origin)
        }
        if let own { return PrometheusModules(own.root, origin: own.origin) }
        guard let folder = files.folder else { return PrometheusModules() }
        let names = ["blackbox", "blackbox_exporter", "blackbox-exporter"]
        let folders = [folder] + names.flatMap { ["\(folder)/\($0)", "\(folder)/../\($0)"] }
        for folder in folders {
            for name in names + ["config"] {
                for path in ["\(folder)/\(name).yml", "\(folder)/\(name).yaml"] {
                    guard let part = try? read(path) else { continue }
                    draft.note(node, "the modules are those of the file \(same: path)")
                    return PrometheusModules(part.root, origin: part.origin)
                }
            }
        }
        return PrometheusModules()
    }

    private static func read(_ path: String) throws(ConfigurationDiagnostics) -> ForeignPart? {
        var files = ForeignFiles(folder: nil)
        let bytes = try files.read(path)
        do throws(YAMLError) {
            let documents = try YAMLReader.read(bytes, documents: 1_000)
            let search = ForeignSearch(documents, of: bytes, format: .blackbox, origin: ForeignOrigin(file: path))
            return search.parts.first
        } catch {
            throw ConfigurationDiagnostics([ConfigurationDiagnostic(error, path: path)])
        }
    }

    /// A module's probe, without a target. A module is noted once.
    ///
    /// - Returns: nil if it is unknown; a nil probe if reachd has none.
    mutating func probe(_ name: String, _ draft: inout ImportDraft) -> ImportedProbe?? {
        if let known = probes[name] { return .some(known) }
        guard let pair = pairs.last(where: { $0.key.text == name }) else { return nil }
        standard.insert(name)
        let outer = draft.origin
        draft.origin = origin
        defer { draft.origin = outer }
        let probe = importer.probe(of: pair, &draft)
        probes[name] = .some(probe)
        return .some(probe)
    }

    /// Notes what several modules have in common.
    func finish(at node: YAMLNode, _ draft: inout ImportDraft) {
        guard !standard.isEmpty else { return }
        if isStandard {
            let names = standard.sorted().joined(separator: ", ")
            draft.note(
                node,
                "no file of modules was found, and blackbox_exporter's own are used: \(same: names); name a file with --modules"
            )
        }
        importer.finish(at: node, &draft)
    }
}
