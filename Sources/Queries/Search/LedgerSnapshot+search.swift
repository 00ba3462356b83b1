public import AppStore
import Foundation
import Ledger
internal import LedgerStore
public import Projection
internal import SQLiteStore

extension LedgerSnapshot {
    /// Finds customers, chains, transactions, order lines and events by id, in what is known now:
    /// matches whose id is exactly the text; without any, those whose id begins with it. A text in
    /// upper case is also searched for in lower case, as UUIDs are stored. `#13` is the event at
    /// position 13.
    ///
    /// Throws `SearchError` or `StoreError`.
    ///
    /// - `bundleId`: only this app's; nil: every app's.
    public func search(_ text: String, bundleId: BundleId? = nil) async throws -> SearchAnswer {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard 1...SearchLimits.textByteCount ~= text.utf8.count else { throw SearchError() }
        let lower = text.lowercased()
        let texts = text == lower ? [text] : [text, lower]
        var exact: [SearchMatch] = []
        for text in texts {
            exact += try await projections.things(named: text, bundleId: bundleId).map(\.match)
        }
        for text in texts {
            do throws(StoreError) { exact += try await events(text, bundleId) } catch {
                // What the projections found is an answer without the log of several nodes, too.
                guard ledger.isShared, !exact.isEmpty,
                    [.databaseUnavailable, .logWentBack].contains(error.code)
                else { throw error }
            }
        }
        var (found, hasMore) = (exact, exact.count > SearchLimits.matchCount)
        if exact.isEmpty {
            for text in texts {
                let longer = try await projections.things(
                    beginning: text, bundleId: bundleId, limit: SearchLimits.matchCount)
                found += longer.found.map(\.match)
                hasMore = hasMore || longer.hasMore
            }
            hasMore = hasMore || found.count > SearchLimits.matchCount
        }
        return SearchAnswer(
            text: text, matches: Array(found.prefix(SearchLimits.matchCount)),
            isExact: !exact.isEmpty, hasMore: hasMore, mayBeOrderId: text.mayBeOrderId,
            position: position)
    }

    /// The event with this position or notificationUUID.
    private func events(
        _ text: String, _ bundleId: BundleId?
    ) async throws(StoreError) -> [SearchMatch] {
        let (kind, found): (SearchMatch.Kind, LoggedEvent?)
        if text.hasPrefix("#") {
            guard let position = Int64(plain: text.dropFirst()) else { return [] }
            (kind, found) = (.event, try await ledger.log.event(at: position))
        } else {
            let key = EventKey.make(.notification, [text])
            let known = try await ledger.log.event(key: key)
            // The key of an erased event remains, but its id no longer finds it.
            let isErased = known?.evidence == nil && known?.damage == nil
            (kind, found) = (.notification, isErased ? nil : known)
        }
        guard let event = found?.event,
            bundleId == nil || event.attributes.bundleId == bundleId
        else { return [] }
        let id = kind == .event ? String(event.position) : text
        return [
            SearchMatch(
                kind: kind, id: id, chain: event.attributes.chainId, position: event.position)
        ]
    }
}

extension NamedThing {
    fileprivate var match: SearchMatch {
        switch self {
        case .customer(let id): SearchMatch(kind: .customer, id: id.rawValue, customer: id)
        case .chain(let chain):
            SearchMatch(
                kind: .subscription, id: chain.originalTransactionId.rawValue, chain: chain)
        case .transaction(let id, let chain):
            SearchMatch(kind: .transaction, id: id.rawValue, chain: chain)
        case .orderLine(let id, let chain):
            SearchMatch(kind: .webOrderLineItem, id: id.rawValue, chain: chain)
        }
    }
}

extension String {
    fileprivate var mayBeOrderId: Bool {
        guard let first = utf8.first, first | 0x20 == UInt8(ascii: "m"),
            SearchLimits.orderIdCharacterCount ~= utf8.count
        else { return false }
        return utf8.allSatisfy { $0.isAlphanumeric() }
    }
}
