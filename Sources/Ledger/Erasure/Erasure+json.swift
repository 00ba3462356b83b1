import AppStore

extension Erasure {
    static let format = "subledger-erasure/1"
    /// The format in which entries of `facts` may refer to earlier ones; releases that know the
    /// other alone cannot read it, so it is written only where there is such an entry.
    static let referringFormat = "subledger-erasure/2"
    /// Facts of one erasure. An entry of a fact has at least 84 bytes, so that an event of the log
    /// has no more.
    package static let maximumFactCount = 50_000

    /// The event's evidence: one JSON object with a fixed member order.
    public var evidence: [UInt8] {
        let references = references
        let isReferring = references.contains { $0 != nil }
        var json = JSONWriter(reservingCapacity: 1_024 + facts.count * (isReferring ? 128 : 512))
        json.object { json in
            json.member("erasure", isReferring ? Erasure.referringFormat : Erasure.format)
            json.member("id", id)
            json.member("actor", actor)
            json.memberIfPresent("tokenName", tokenName)
            json.member("reason", reason)
            json.array("positions", positions)
            json.objects("chains", chains) { json, chain in
                json.member("bundleId", chain.bundleId)
                json.member("digest", chain.digest)
            }
            json.objects("facts", zip(facts, references)) { json, entry in
                guard let reference = entry.1 else { return entry.0.writeMembers(to: &json) }
                json.member("as", Int64(reference))
                json.member("digest", entry.0.fact.digest)
            }
        }
        return json.bytes
    }

    /// For each fact the index of the first one about the same transaction of the same chain, where
    /// that one, the preceding fact and the digest give the fact; nil: the fact is written whole.
    private var references: [Int?] {
        var first: [ChainId: [TransactionSnapshot?: Int]] = [:]
        return facts.indices.map { index in
            let (chain, transaction) = (facts[index].chain, facts[index].fact.transaction)
            guard let known = first[chain]?[transaction] else {
                first[chain, default: [:]][transaction] = index
                return nil
            }
            let given = facts[index - 1].next(about: facts[known], facts[index].fact.digest)
            return given == facts[index] ? known : nil
        }
    }

    /// Parses `evidence`; nil if this version does not understand it.
    public init?(evidence bytes: [UInt8]) {
        guard let json = try? JSONValue.parse(bytes),
            let format = Erasure.format(json), let id = json["id"]?.string,
            let actor = json["actor"]?.string, let reason = json["reason"]?.string,
            let positions = Erasure.positions(json), let chains = json["chains"]?.array,
            let facts = json["facts"]?.array, facts.count <= Erasure.maximumFactCount
        else { return nil }
        self.init(
            id: id, actor: actor, tokenName: json["tokenName"]?.string, reason: reason,
            positions: positions, chains: [], facts: [])
        for entry in chains {
            guard let bundleId = entry["bundleId"]?.string,
                let digest = entry["digest"]?.string.flatMap({ Digest(hexadecimal: $0) })
            else { return nil }
            self.chains.append(ErasedChain(bundleId: BundleId(bundleId), digest: digest))
        }
        for entry in facts {
            let isReference = format == Erasure.referringFormat && entry["as"] != nil
            guard let fact = isReference ? fact(referring: entry) : ChainFact(entry) else {
                return nil
            }
            self.facts.append(fact)
        }
    }

    /// The next fact, from an entry that refers to an earlier one; nil without that one.
    private func fact(referring entry: JSONValue) -> ChainFact? {
        guard let reference = entry["as"]?.int64, let last = facts.last,
            let digest = entry["digest"]?.string.flatMap({ Digest(hexadecimal: $0) }),
            (0..<Int64(facts.count)).contains(reference)
        else { return nil }
        return last.next(about: facts[Int(reference)], digest)
    }

    /// The format of an evidence; nil for one that this version does not understand.
    private static func format(_ json: JSONValue) -> String? {
        json["erasure"]?.string.flatMap { [format, referringFormat].contains($0) ? $0 : nil }
    }

    /// Parses only the positions of `evidence`; nil for anything else than an erasure.
    public static func positions(inEvidence bytes: [UInt8]) -> [Int64]? {
        guard let json = try? JSONValue.parse(bytes), format(json) != nil else { return nil }
        return positions(json)
    }

    private static func positions(_ json: JSONValue) -> [Int64]? {
        guard let list = json["positions"]?.array else { return nil }
        var positions: [Int64] = []
        for entry in list {
            guard let position = entry.int64, position > positions.last ?? 0 else { return nil }
            positions.append(position)
        }
        return positions
    }
}

extension ChainFact {
    /// The fact that the next part of the same event states about the transaction of another fact;
    /// nil beyond the largest part.
    fileprivate func next(about other: ChainFact, _ digest: Digest) -> ChainFact? {
        guard part < .max else { return nil }
        var next = self
        next.chain = other.chain
        next.part += 1
        next.fact.transaction = other.fact.transaction
        next.fact.digest = digest
        return next
    }
}
