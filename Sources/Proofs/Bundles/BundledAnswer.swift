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
    package var settings: String? { Catalogue(bundled: catalogue)?.bundleWords }

    /// About what it is, when, and what it says, on one line. Names are quoted where they could
    /// be read as words of it.
    public var summary: String {
        let (subject, found): (String, String) =
            switch query.subject {
            case .subscription(let chain, let id): (named(chain, askedAs: id), state)
            case .customer(let id): ("customer \(id.rawValue.quotedWhereNeeded)", standing)
            case .cell(let cell): (named(cell), amount)
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

    private var state: String {
        let access = value["entitled"]?.bool == true ? "entitled" : "not entitled"
        return "\(value["state"]?.string ?? "no state"), \(access)"
    }

    private var standing: String {
        let active = (value["entitlements"]?.array ?? []).filter { $0["active"]?.bool == true }
        let named = active.compactMap { entitlement in
            entitlement["entitlement"]?.string.map { $0.quotedWhereNeeded + basis(entitlement) }
        }
        let names = named.isEmpty ? "no entitlement" : named.joined(separator: ", ")
        return "\(value["standing"]?.string ?? "no standing"), \(names)"
    }

    /// What gives access where the operator does: the leeway, or a grant.
    private func basis(_ entitlement: JSONValue) -> String {
        switch entitlement["basis"]?.string {
        case "leeway": " (by leeway)"
        case "grant": " (by a grant)"
        default: ""
        }
    }

    private var amount: String {
        let amount = value["amount"]?.int64.map(String.init) ?? "no amount"
        return "\(amount) (\(value["unit"]?.string ?? "no unit"))"
    }
}

extension String {
    /// Itself where it has only letters and digits of ASCII and `.`, `_`, `:`, `=` and `-`; else as
    /// a JSON string.
    fileprivate var quotedWhereNeeded: String {
        let isPlain = allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || "._:=-".contains($0))
        }
        return isPlain && !isEmpty ? self : String(decoding: encoded(), as: UTF8.self)
    }
}
