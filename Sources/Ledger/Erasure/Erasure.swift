public import AppStore

/// The erasure of a person's data: stored permanently as an event (`Erasure.md`). It names the
/// positions whose evidence was erased, and carries the facts that they stated under random ids, so
/// that every number stays as it was. It does not name the person.
public struct Erasure: Hashable, Sendable {
    /// The event's identity: the same erasure sent again is a duplicate.
    public var id: String
    /// Who ordered it, as stated by the sender.
    public var actor: String
    /// The name of the token that the sender authenticated with; nil where none is required.
    public var tokenName: String?
    public var reason: String
    /// The events whose evidence, chain and notificationUUID were erased, ascending.
    public var positions: [Int64]
    /// The chains that were erased, and the customer (without a bundle id), in order of their
    /// digests.
    public var chains: [ErasedChain]
    /// What the erased events stated, under random ids.
    public var facts: [ChainFact]

    public init(
        id: String, actor: String, tokenName: String? = nil, reason: String, positions: [Int64],
        chains: [ErasedChain], facts: [ChainFact]
    ) {
        self.id = id
        self.actor = actor
        self.tokenName = tokenName
        self.reason = reason
        self.positions = positions
        self.chains = chains
        self.facts = facts
    }

    /// The same erasure with other positions, for a log in which the events have other positions.
    public func moved(_ place: (Int64) -> Int64) -> Erasure {
        var moved = self
        moved.positions = positions.map(place).sorted()
        moved.facts = facts.map { erased in
            var erased = erased
            erased.fact.position = place(erased.fact.position)
            return erased
        }
        return moved
    }

    /// Whether all its facts are at positions that it names, each part of an event states one, and
    /// every id in them is a random one.
    public var isPlausible: Bool {
        let known = Set(positions)
        var parts: [Int64: Set<UInt16>] = [:]
        return facts.allSatisfy { stated in
            known.contains(stated.fact.position)
                && parts[stated.fact.position, default: []].insert(stated.part).inserted
                && Pseudonyms.ids(stated.chain, stated.fact).allSatisfy { Pseudonyms.isRandom($0) }
        }
    }

    /// The same, and whether it names only positions before its own.
    public func isPlausible(at position: Int64) -> Bool {
        isPlausible && positions.allSatisfy { $0 < position }
    }
}

/// An erased chain, recognisable only by a reader who knows its ids.
public struct ErasedChain: Hashable, Sendable {
    public var bundleId: BundleId
    /// SHA-256 over the bundle id and the originalTransactionId (`Erasure.md`).
    public var digest: Digest

    public init(bundleId: BundleId, digest: Digest) {
        self.bundleId = bundleId
        self.digest = digest
    }
}

/// A fact and the chain it belongs to.
public struct ChainFact: Hashable, Sendable {
    public var chain: ChainId
    public var fact: Fact
    /// The index of the fact in its event, from 0; most events state one.
    public var part: UInt16

    public init(chain: ChainId, fact: Fact, part: UInt16 = 0) {
        self.chain = chain
        self.fact = fact
        self.part = part
    }
}

extension ChainId {
    /// Begins with a control character, which no id of a customer has.
    package static let erasedPrefix = "\u{1}erased:"

    /// Whether the id has the form of a random one of an erasure: Apple has no such ids.
    public var isPseudonym: Bool { Pseudonyms.isRandom(originalTransactionId.rawValue) }

    /// The key under which the erasure of a chain is stored among the facts: neither a chain of an
    /// app nor a customer.
    public init(erased chain: ErasedChain) {
        self.init(
            bundleId: BundleId(""),
            originalTransactionId: OriginalTransactionId(
                "\(ChainId.erasedPrefix)\(chain.digest.hexadecimal):\(chain.bundleId)"))
    }

    /// The erased chain whose erasure is stored under this key; nil for chains and customers.
    public var erased: ErasedChain? {
        guard bundleId.rawValue.isEmpty,
            originalTransactionId.rawValue.hasPrefix(ChainId.erasedPrefix)
        else { return nil }
        let rest = originalTransactionId.rawValue.dropFirst(ChainId.erasedPrefix.count)
        guard let colon = rest.firstIndex(of: ":"),
            let digest = Digest(hexadecimal: String(rest[..<colon]))
        else { return nil }
        return ErasedChain(
            bundleId: BundleId(String(rest[rest.index(after: colon)...])), digest: digest)
    }
}

extension CustomerId {
    /// Whether the id has the form of a random one of an erasure: apps choose the ids of customers.
    public var isPseudonym: Bool { Pseudonyms.isRandom(rawValue) }
}
