// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

internal import CLinux
internal import LinuxIO

/// The links of the network namespace, kept by netlink messages.
struct LinkTable {
    private(set) var links: [UInt32: Link] = [:]
    private var classifier: InterfaceClassifier
    private var tunnelsOverModems: Set<UInt32> = []

    init(classifier: InterfaceClassifier) {
        self.classifier = classifier
    }

    /// The link with an index.
    subscript(index: UInt32) -> Link? { links[index] }

    /// The link with a name or an alternative name.
    func link(named name: String) -> Link? {
        links.values.first { $0.name == name }
            ?? links.values.first { $0.alternativeNames.contains(name) }
    }

    /// The loopback link.
    var loopback: Link? { links.values.first { $0.isLoopback } }

    /// Reads all links anew.
    ///
    /// - Returns: The name of a link whose change matters, or nil when nothing that matters changed.
    mutating func reload(from socket: NetlinkSocket) throws(SystemError) -> String? {
        let before = links
        var found: [Link] = []
        var header = ifinfomsg()
        header.ifi_family = UInt8(AF_UNSPEC)
        try socket.dump(type: Int(RTM_GETLINK), header: header, begin: { found = [] }) { message in
            if let link = Link(message) { found.append(link) }
        }
        links = Dictionary(found.map { ($0.index, $0) }) { _, last in last }
        // Links may stand on links that come later in the dump, so that all are known before any is classified.
        for link in found { classify(link.index) }
        if let gone = before.values.first(where: { links[$0.index] == nil }) { return gone.name }
        return links.values.first { link in
            before[link.index].map { link.isRelevantChange(from: $0) } ?? true
        }?.name
    }

    /// Reads one link anew, for the case that its own message is still on its way.
    ///
    /// - Returns: The link's name if its state here was old in a way that matters.
    mutating func refresh(_ index: UInt32, from socket: NetlinkSocket) throws(SystemError) -> String? {
        var header = ifinfomsg()
        header.ifi_index = Int32(bitPattern: index)
        var request = NetlinkRequest()
        let sequence = socket.nextSequence()
        request.begin(type: Int(RTM_GETLINK), flags: Int(NLM_F_REQUEST), sequence: sequence, header: header)
        request.end()
        try socket.send(request)
        var isAnswered = false
        var changed: String?
        while !isAnswered {
            try socket.receive(waiting: true) { bytes in
                NetlinkMessage.forEach(in: bytes) { message in
                    guard message.sequence == sequence else { return }
                    isAnswered = true
                    if message.failure != nil {
                        changed = links.removeValue(forKey: index)?.name
                    } else {
                        changed = apply(message)
                    }
                }
            }
        }
        return changed
    }

    /// Takes in a `RTM_NEWLINK` or `RTM_DELLINK`.
    ///
    /// - Returns: The link's name if the change can matter to a verdict.
    mutating func apply(_ message: NetlinkMessage) -> String? {
        guard let link = Link(message) else { return nil }
        let before = links[link.index]
        if message.type == Int(RTM_DELLINK) {
            links[link.index] = nil
            return before?.name
        }
        links[link.index] = link
        classify(link.index)
        guard let after = links[link.index] else { return nil }
        guard let before else { return after.name }
        return after.isRelevantChange(from: before) ? after.name : nil
    }

    /// Classifies all links by new rules.
    mutating func reclassify(by classifier: InterfaceClassifier) {
        self.classifier = classifier
        for index in links.keys { classify(index) }
    }

    /// Takes in which tunnels are carried by a modem.
    ///
    /// - Returns: Whether that is another set than before.
    mutating func setTunnelsOverModems(_ indices: Set<UInt32>) -> Bool {
        guard indices != tunnelsOverModems else { return false }
        tunnelsOverModems = indices
        for index in links.keys { links[index]?.isCarriedByModem = indices.contains(index) }
        return true
    }

    private mutating func classify(_ index: UInt32) {
        guard var link = links[index] else { return }
        classifier.classify(&link) { lower in
            guard let lower = links[lower] else { return nil }
            var copy = lower
            // One step down is enough for a vlan on a bond on a card: the kernel reports the real lower link.
            classifier.classify(&copy) { _ in nil }
            return copy.type
        }
        link.isCarriedByModem = tunnelsOverModems.contains(index)
        links[index] = link
    }
}
