public import AppStore
internal import Ledger
internal import Queries

/// The answer of a bundle, shown by its check: a page around the bundle may show another one.
extension ProofBundle.Answer {
    /// The members `query` and `value`, as in the bundle.
    public func writeMembers(to json: inout JSONWriter) {
        json.object("query") { query.writeMembers(to: &$0) }
        json.member("value", value)
    }

    /// The operator's settings that it rests on; nil where they cannot be read.
    package var settings: String? { Catalogue(bundled: catalogue)?.bundleWords(of: value) }

    /// About what it is, when, what it says, and where it rests on what Apple did not sign, on one
    /// line. Names are quoted where they could be read as words of it.
    ///
    /// - Parameter facts: what the events of the bundle state.
    func summary(by facts: [ChainId: [Fact]]) -> String {
        let (subject, found): (String, String) =
            switch query.subject {
            case .subscription(let chain, let id): (named(chain, askedAs: id), state(of: chain))
            case .customer(let id):
                ("customer \(id.rawValue.quotedWhereNeeded)", standing(by: facts))
            case .cell(let cell): (named(cell), amount(of: cell, by: facts))
            }
        let moment = "at \(at.rfc3339)\(expectation), as known at position \(query.knownPosition)"
        return "\(subject) \(moment): \(found)".printable
    }

    /// A cell ends at the time of its report.
    private var at: Timestamp {
        if case .cell = query.subject { query.now } else { query.at }
    }

    /// When an answer about a later time was expected; a cell never is about one.
    private var expectation: String {
        guard at > query.now else { return "" }
        return ", expected at \(query.now.rfc3339)"
    }

    private func named(_ cell: BundledCell) -> String {
        let group = cell.group.isEmpty ? "" : ", group \(listed(cell.group))"
        let filters = cell.filters.isEmpty ? "" : ", only where \(listed(cell.filters))"
        return "\(cell.column) of \(cell.name)\(cell.isPaid ? " (paid only)" : "")"
            + " from \(cell.from.rfc3339) to \(cell.to.rfc3339)\(group)\(filters),"
            + " days in \(cell.timeZone),"
    }

    private func named(_ chain: ChainId, askedAs id: String) -> String {
        let own = chain.originalTransactionId.rawValue
        let asked = id == own ? "" : " (asked as \(id.quotedWhereNeeded))"
        let app = chain.bundleId.rawValue.quotedWhereNeeded
        return "subscription \(own.quotedWhereNeeded)\(asked) of \(app)"
    }

    private func listed(_ names: [String]) -> String {
        names.map(\.quotedWhereNeeded).joined(separator: ", ")
    }

    private func state(of chain: ChainId) -> String {
        let access = value["entitled"]?.bool == true ? "entitled" : "not entitled"
        let words = bracketed([origin(of: chain.originalTransactionId.rawValue, value)])
        return "\(value["state"]?.string ?? "no state"), \(access)\(words)"
    }

    private func standing(by facts: [ChainId: [Fact]]) -> String {
        let links = Set(facts.values.joined().filter(\.isLink).map(\.position))
        let active = (value["entitlements"]?.array ?? []).filter { $0["active"]?.bool == true }
        let named = active.compactMap { entitlement in
            entitlement["entitlement"]?.string.map {
                $0.quotedWhereNeeded + basis(entitlement, links)
            }
        }
        let names = named.isEmpty ? "no entitlement" : named.joined(separator: ", ")
        return "\(value["standing"]?.string ?? "no standing"), \(names)"
    }

    /// What gives access where Apple's signature does not: the leeway, a grant, a link, or evidence
    /// without a signature.
    private func basis(_ entitlement: JSONValue, _ links: Set<Int64>) -> String {
        let basis = entitlement["basis"]?.string
        guard basis != "grant" else { return bracketed(["by a grant"]) }
        let evidence = entitlement["evidence"]?.array?.compactMap(\.int64) ?? []
        return bracketed([
            basis == "leeway" ? "by leeway" : nil,
            links.isDisjoint(with: evidence) ? nil : "by a link",
            origin(of: entitlement["originalTransactionId"]?.string, entitlement),
        ])
    }

    /// Where a statement about a chain is from, unless Apple signed it.
    private func origin(of id: String?, _ value: JSONValue) -> String? {
        if let id, CustomerId(id).isPseudonym { return "by an erasure" }
        let trust = value["trust"]?.string ?? Trust.signed.rawValue
        return trust == Trust.signed.rawValue ? nil : "trust \(trust)"
    }

    private func bracketed(_ words: [String?]) -> String {
        let words = words.compactMap(\.self)
        return words.isEmpty ? "" : " (\(words.joined(separator: ", ")))"
    }

    private func amount(of cell: BundledCell, by facts: [ChainId: [Fact]]) -> String {
        let amount = value["amount"]?.int64.map(String.init) ?? "no amount"
        let unit = value["unit"]?.string ?? "no unit"
        let isEstimate = cell.name == CountedMetric.proceeds.rawValue
        let chains = (value["chains"]?.array ?? []).compactMap {
            ChainId($0, id: "originalTransactionId")
        }
        let unsigned = chains.filter { chain in
            chain.isPseudonym || !(facts[chain] ?? []).contains { $0.trust == .signed }
        }.count
        let total = chains.count.named("subscription", "subscriptions")
        return "\(amount)"
            + bracketed([
                unit, isEstimate ? "an estimate" : nil,
                unsigned > 0 ? "\(unsigned) of \(total) without a signature" : nil,
            ])
    }
}

extension Fact {
    /// Whether a decision assigns the chain to a customer.
    fileprivate var isLink: Bool {
        switch command?.action {
        case .link, .claim: true
        case .unlink, .grant, .ungrant, .note, nil: false
        }
    }
}

extension String {
    /// Itself where it has only letters and digits of ASCII and `.`, `_`, `:`, `=` and `-`; else as
    /// a JSON string.
    var quotedWhereNeeded: String {
        let isPlain = allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || "._:=-".contains($0))
        }
        return isPlain && !isEmpty ? self : String(decoding: encoded(), as: UTF8.self)
    }
}
