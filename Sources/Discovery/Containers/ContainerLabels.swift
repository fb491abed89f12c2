// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

import LinuxIO

/// What the labels of a container declare.
struct ContainerLabels: Sendable {
    /// The prefix of labels for reachd.
    static let prefix = "reachd."
    /// The labels of Compose that are used.
    static let compose: Set = [project, service, number]
    private static let project = "com.docker.compose.project"
    private static let service = "com.docker.compose.service"
    private static let number = "com.docker.compose.container-number"

    /// The place of a container in a project of Compose.
    struct Composition: Sendable, Hashable {
        let project: String
        let service: String
        /// The number of the container; 1 unless the service has several.
        let number: String
    }

    /// Whether the container is to be monitored; nil if no label says it.
    private(set) var isEnabled: Bool?
    private(set) var name: String?
    private(set) var group: String?
    private(set) var url: String?
    private(set) var scheme: String?
    private(set) var path: String?
    private(set) var port: Int?
    /// YAML: the probe.
    private(set) var probe: String?
    /// The place in a project of Compose.
    private(set) var composition: Composition?
    /// What is wrong with labels, as sentences.
    private(set) var faults: [String] = []

    /// Reads the labels of a container.
    init(_ labels: [String: String]) {
        for (label, value) in labels.sorted(by: { $0.key < $1.key }) where label.hasPrefix(Self.prefix) {
            take(label, value)
        }
        if let project = labels[Self.project], let service = labels[Self.service], Self.isLine(project),
            Self.isLine(service)
        {
            composition = Composition(project: project, service: service, number: labels[Self.number] ?? "1")
        }
    }

    private mutating func take(_ label: String, _ value: String) {
        switch label.dropFirst(Self.prefix.count) {
        case "enable", "monitor":
            switch value.lowercased() {
            case "true", "1", "yes": isEnabled = isEnabled ?? true
            case "false", "0", "no": isEnabled = false
            default: refuse(label, "is neither true nor false")
            }
        case "name" where Self.isLine(value): name = value
        case "group" where Self.isLine(value): group = value
        case "name", "group": refuse(label, "is not a line of at most 256 bytes")
        case "url" where value.hasPrefix("http://") || value.hasPrefix("https://"): url = value
        case "url": refuse(label, "is not a URL of http or https")
        case "scheme" where value == "http" || value == "https": scheme = value
        case "scheme": refuse(label, "is neither http nor https")
        case "path" where value.hasPrefix("/") && Self.isLine(value): path = value
        case "path": refuse(label, "is not the path of a URL, which begins with /")
        case "port":
            guard value.utf8.count <= 5, let number = Int(value), (1...65_535).contains(number) else {
                return refuse(label, "is not a port between 1 and 65535")
            }
            port = number
        case "probe" where !value.isEmpty: probe = value
        case "probe": refuse(label, "is empty or longer than \(ContainerListReader.labelLimit) bytes")
        default: refuse(label, "is unknown")
        }
    }

    private mutating func refuse(_ label: String, _ words: String) {
        if faults.count < 8 { faults.append("the label \(DisplayText.line(label, limit: 64)) \(words)") }
    }

    private static func isLine(_ text: String) -> Bool {
        (1...256).contains(text.utf8.count) && text.unicodeScalars.allSatisfy(DisplayText.isAllowedInLine)
    }
}
