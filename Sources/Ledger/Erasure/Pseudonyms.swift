import AppStore

/// Replaces the ids of a person's facts with random ones, in the same order: ties that reduction
/// breaks by an id are broken in the same way afterwards. The mapping exists only in this value.
public struct Pseudonyms: Sendable {
    /// By the bytes of the id: String's own equality would merge canonically equivalent ones.
    private let replacements: [[UInt8]: String]

    /// Prefix of every random id, so that people recognise one.
    public static let prefix = "erased-"
    /// Hexadecimal digits of a random text: 128 bits.
    static let digitCount = 32
    /// Why nothing is erased or decided under a random id.
    package static let refusal = "This is a random id of an erasure; it names no person."
    /// Reason and actor of erased commands.
    public static let withheld = "erased"

    /// - Parameters:
    ///   - facts: every fact that will be replaced.
    ///   - draw: returns this many different random texts, all of one length.
    public init(_ facts: [(chain: ChainId, fact: Fact)], draw: (Int) -> [String]) {
        var ids: Set<[UInt8]> = []
        for (chain, fact) in facts {
            ids.formUnion(Pseudonyms.ids(chain, fact).map { Array($0.utf8) })
        }
        // The order of `Lifecycle.md` §2 rule 4. Random ids have one length.
        let known = ids.sorted { left, right in
            left.count == right.count
                ? left.lexicographicallyPrecedes(right) : left.count < right.count
        }
        let drawn = draw(known.count).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        precondition(drawn.count == known.count, "The number of random ids must equal that of ids.")
        replacements = Dictionary(
            uniqueKeysWithValues: zip(known, drawn.map { Pseudonyms.prefix + $0 }))
    }

    /// Whether an id has the form of a random one.
    static func isRandom(_ id: String) -> Bool {
        let drawn = id.utf8.dropFirst(prefix.utf8.count)
        return id.hasPrefix(prefix) && drawn.count == digitCount
            && drawn.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }

    /// The ids in a fact that name a person's purchases, decisions or the person.
    static func ids(_ chain: ChainId, _ fact: Fact) -> [String] {
        var stated = [chain.originalTransactionId.rawValue]
        if let snapshot = fact.transaction { stated += ids(snapshot) }
        if let token = fact.statedRenewal?.appAccountToken {
            stated.append(CustomerId(token: token).rawValue)
        }
        if let command = fact.command { stated += ids(command) }
        return stated
    }

    private static func ids(_ snapshot: TransactionSnapshot) -> [String] {
        [
            snapshot.transactionId.rawValue, snapshot.originalTransactionId.rawValue,
            snapshot.webOrderLineItemId.flatMap { $0.isNamed ? $0.rawValue : nil },
            snapshot.appAccountToken.map { CustomerId(token: $0).rawValue },
        ].compactMap(\.self)
    }

    private static func ids(_ command: Command) -> [String] {
        var ids = [command.id]
        if let customer = command.customer { ids.append(customer.rawValue) }
        if case .ungrant(_, let grant) = command.action { ids.append(grant) }
        return ids
    }

    /// The replaced fact; nil for a note, which states nothing but its text.
    public func replace(_ chain: ChainId, _ fact: Fact, part: UInt16) -> ChainFact? {
        if case .note = fact.command?.action { return nil }
        var fact = fact
        fact.cause.notificationUUID = nil
        fact.transaction = fact.transaction.map { replace($0) }
        if let token = fact.statedRenewal?.appAccountToken {
            fact.renewal?.appAccountToken = self[CustomerId(token: token).rawValue]
        }
        fact.command = fact.command.map { replace($0) }
        return ChainFact(
            chain: self.chain(chain), fact: fact, part: part)
    }

    /// The chain under its random id.
    public func chain(_ chain: ChainId) -> ChainId {
        ChainId(
            bundleId: chain.bundleId,
            originalTransactionId: OriginalTransactionId(
                self[chain.originalTransactionId.rawValue]))
    }

    private func replace(_ snapshot: TransactionSnapshot) -> TransactionSnapshot {
        var snapshot = snapshot
        snapshot.transactionId = TransactionId(self[snapshot.transactionId.rawValue])
        snapshot.originalTransactionId = OriginalTransactionId(
            self[snapshot.originalTransactionId.rawValue])
        snapshot.webOrderLineItemId = snapshot.webOrderLineItemId.map {
            $0.isNamed ? WebOrderLineItemId(self[$0.rawValue]) : $0
        }
        snapshot.appAccountToken = snapshot.appAccountToken.map {
            self[CustomerId(token: $0).rawValue]
        }
        return snapshot
    }

    private func replace(_ command: Command) -> Command {
        func customer(_ id: CustomerId) -> CustomerId { CustomerId(self[id.rawValue]) }
        let action: Command.Action =
            switch command.action {
            case .link(let id): .link(customer(id))
            case .unlink(let id): .unlink(customer(id))
            case .claim(let id, let policy): .claim(customer(id), policy: policy)
            case .grant(let id, let entitlement, let until):
                .grant(customer(id), entitlement: entitlement, until: until)
            case .ungrant(let id, let grant): .ungrant(customer(id), grant: self[grant])
            case .note(let id): .note(id.map(customer))
            }
        return Command(
            id: self[command.id], actor: Pseudonyms.withheld, tokenName: command.tokenName,
            reason: Pseudonyms.withheld, action: action)
    }

    private subscript(id: String) -> String {
        guard let replacement = replacements[Array(id.utf8)] else {
            preconditionFailure("An id of a fact that was not passed to the initializer.")
        }
        return replacement
    }
}
