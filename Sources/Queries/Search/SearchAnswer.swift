public import AppStore
public import Ledger

/// One thing that a search found.
public struct SearchMatch: Hashable, Sendable {
    /// What was found. Raw values are the contract's.
    public enum Kind: String, Sendable, CaseIterable {
        case customer
        /// A chain, by its originalTransactionId.
        case subscription
        /// A later transaction of a chain.
        case transaction
        /// A chain, by the webOrderLineItemId of one of its purchases.
        case webOrderLineItem
        /// An event, by its position.
        case event
        /// An event, by its notificationUUID.
        case notification
    }

    public let kind: Kind
    /// The id that was found; of an event, its position.
    public let id: String
    /// The chain; nil for a customer, and for an event without one.
    public var chain: ChainId?
    public var customer: CustomerId?
    /// Of an event.
    public var position: Int64?
}

/// The answer to a search by id (`Contract.md`, `find`).
public struct SearchAnswer: Sendable, JSONObjectWritable {
    /// The text as searched for, without surrounding white space.
    public let text: String
    /// Customers, chains, transactions, order lines, events; ids equal to the text, else those that
    /// begin with it.
    public let matches: [SearchMatch]
    /// Whether the ids of the matches equal the text, instead of beginning with it.
    public let isExact: Bool
    /// Whether there may be more than were listed.
    public let hasMore: Bool
    /// Whether the text may be the id of an order on a customer's receipt. The ledger has no such
    /// ids; Apple can look one up.
    public let mayBeOrderId: Bool
    /// The log position of the state that was searched.
    public let position: Int64

    public func writeMembers(to json: inout JSONWriter) {
        json.member("text", text)
        json.member("exact", isExact)
        json.objects("matches", matches) { json, match in
            json.member("kind", match.kind.rawValue)
            json.member("id", match.id)
            json.member("bundleId", match.chain?.bundleId)
            json.member("originalTransactionId", match.chain?.originalTransactionId)
            json.member("customer", match.customer)
            json.member("position", match.position)
        }
        json.member("more", hasMore)
        json.member("orderId", mayBeOrderId)
        if json.isStamped { json.member("position", position) }
    }

    /// One line per match, then what else there is to say.
    ///
    /// - Parameter address: ends the line of a match.
    package func lines(_ address: (SearchMatch) -> String = { _ in "" }) -> [String] {
        var lines = matches.map { match -> String in
            var line = "\(match.kind.rawValue) \(match.id)"
            if match.kind != .subscription, let chain = match.chain {
                line += " of \(chain.originalTransactionId)"
            }
            if let chain = match.chain { line += " in \(chain.bundleId)" }
            if let position = match.position, match.kind != .event { line += ", event \(position)" }
            return line + address(match)
        }
        if matches.isEmpty {
            lines.append("Nothing has been received about \(text).")
        } else if !isExact {
            lines.append("These begin with it.")
        }
        if hasMore { lines.append("There may be more: give more of the id.") }
        if mayBeOrderId {
            lines.append("It may be an order id: `subledger api order \(text)` asks Apple.")
        }
        return lines + ["As of log position \(position)."]
    }
}

/// Why a text cannot be searched for.
public struct SearchError: Error, Hashable, Sendable {
    public let code = "invalidParameter"
    public let message = "A search takes 1 to \(SearchLimits.textByteCount) bytes of text."
}

/// Bounds of a search.
public enum SearchLimits {
    /// Longest text, in bytes of UTF-8.
    public static let textByteCount = 256
    /// Matches listed.
    public static let matchCount = 20
    /// Characters of Apple's order ids, which begin with M.
    public static let orderIdCharacterCount = 10...32
}
