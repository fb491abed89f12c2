// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors

/// The look-ups in flight: one for a name, however many targets have it. Belongs to the engine's loop.
final class NameLookUps {
    private final class LookUp {
        var query: (any NameQuery)?
        var ids: Set<PathID> = []
    }

    private let service: any NameService
    private let early: ([PathID], NameAnswer) -> Void
    private let completion: ([PathID], NameAnswer) -> Void
    private var lookUps: [String: LookUp] = [:]

    /// Creates the table.
    ///
    /// - Parameters:
    ///   - early: Called on the loop with the addresses of one family while those of the other are awaited.
    ///   - completion: Called on the loop, never from inside ``begin(_:for:)``, with the targets that wait for the answer.
    init(
        service: any NameService,
        early: @escaping ([PathID], NameAnswer) -> Void,
        completion: @escaping ([PathID], NameAnswer) -> Void
    ) {
        self.service = service
        self.early = early
        self.completion = completion
    }

    /// Looks a name up for a target, or has it wait for the look-up in flight.
    func begin(_ name: String, for id: PathID) {
        let name = name.lowercased()
        if let lookUp = lookUps[name] {
            lookUp.ids.insert(id)
            return
        }
        let lookUp = LookUp()
        lookUp.ids = [id]
        lookUps[name] = lookUp
        let tell = { [weak self, weak lookUp] (answer: NameAnswer, isLast: Bool) in
            guard let self, let lookUp, lookUps[name] === lookUp else { return }
            if isLast { lookUps[name] = nil }
            (isLast ? completion : early)(lookUp.ids.sorted { $0.rawValue < $1.rawValue }, answer)
        }
        lookUp.query = service.resolve(name, early: { tell($0, false) }, completion: { tell($0, true) })
    }

    /// Forgets a target; a look-up without any is cancelled.
    func end(_ name: String, for id: PathID) {
        let name = name.lowercased()
        guard let lookUp = lookUps[name] else { return }
        lookUp.ids.remove(id)
        guard lookUp.ids.isEmpty else { return }
        lookUps[name] = nil
        lookUp.query?.cancel()
    }
}
