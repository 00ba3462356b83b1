import AppStore

extension Erasure {
    static let format = "subledger-erasure/1"

    /// The event's evidence: one JSON object with a fixed member order.
    public var evidence: [UInt8] {
        var json = JSONWriter(reservingCapacity: 1_024 + facts.count * 512)
        json.object { json in
            json.member("erasure", Erasure.format)
            json.member("id", id)
            json.member("actor", actor)
            json.memberIfPresent("tokenName", tokenName)
            json.member("reason", reason)
            json.array("positions", positions)
            json.objects("chains", chains) { json, chain in
                json.member("bundleId", chain.bundleId)
                json.member("digest", chain.digest)
            }
            json.objects("facts", facts) { json, erased in erased.writeMembers(to: &json) }
        }
        return json.bytes
    }

    /// Parses `evidence`; nil if this version does not understand it.
    public init?(evidence bytes: [UInt8]) {
        guard let json = try? JSONValue.parse(bytes),
            json["erasure"]?.string == Erasure.format, let id = json["id"]?.string,
            let actor = json["actor"]?.string, let reason = json["reason"]?.string,
            let positions = Erasure.positions(json), let chains = json["chains"]?.array,
            let facts = json["facts"]?.array
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
            guard let fact = ChainFact(entry) else { return nil }
            self.facts.append(fact)
        }
    }

    /// Parses only the positions of `evidence`; nil for anything else than an erasure.
    public static func positions(inEvidence bytes: [UInt8]) -> [Int64]? {
        guard let json = try? JSONValue.parse(bytes),
            json["erasure"]?.string == Erasure.format
        else { return nil }
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
