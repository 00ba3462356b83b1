import AppStore
import Synchronization

/// Endpoints about one customer.
extension EndpointHandlers {
    func statuses(
        _ id: String, _ request: ServedRequest
    ) throws(ServedError) -> ServedResponse {
        let chain = try chain(id)
        var wanted: Set<Int64> = []
        for text in request.values("status") {
            guard let number = Int64(text), (1...5).contains(number) else {
                throw ServedError(4_000_031, "Invalid status.")
            }
            wanted.insert(number)
        }
        let moment = statusMoment(chain)
        let (status, renewal) = (chain.status(at: moment), chain.renewal(at: moment))
        let current = currentTransaction(chain)
        let isWanted = status.map { wanted.isEmpty || wanted.contains($0.rawValue) } ?? false
        let newest = chain.transactions(at: now).last
        return ServedResponse { json in
            json.member("environment", books.environment.rawValue)
            json.member("bundleId", statedBundleId)
            json.memberIfPresent("appAppleId", statedAppAppleId)
            json.objects("data", isWanted ? [newest].compactMap { $0 } : []) { json, transaction in
                json.memberIfPresent(
                    "subscriptionGroupIdentifier", transaction.subscriptionGroupIdentifier)
                json.objects("lastTransactions", [transaction]) { json, transaction in
                    json.member("originalTransactionId", chain.originalTransactionId)
                    json.memberIfPresent("status", status?.rawValue)
                    json.member("signedTransactionInfo", sign(transaction))
                    json.memberIfPresent(
                        "signedRenewalInfo", renewal.map { sign($0, after: current) })
                }
            }
        }
    }

    func transactionInfo(_ id: String) throws(ServedError) -> ServedResponse {
        let signed = sign(try transaction(id))
        return ServedResponse { json in json.member("signedTransactionInfo", signed) }
    }

    func appTransactionInfo(_ id: String) throws(ServedError) -> ServedResponse {
        let chain = try chain(id)
        var payload = AppTransactionPayload()
        payload.receiptType = Raw(books.environment)
        payload.appAppleId = statedAppAppleId
        payload.bundleId = statedBundleId
        payload.receiptCreationDate = now
        payload.originalPurchaseDate = chain.transactions(at: now).first?.originalPurchaseDate
        payload.originalApplicationVersion = "1"
        payload.appTransactionId = AppTransactionId(
            ServedRecords.appTransactionId(of: chain.originalTransactionId))
        let signed = sign(payload.encoded())
        return ServedResponse { json in json.member("signedAppTransactionInfo", signed) }
    }

    func order(_ id: String) throws(ServedError) -> ServedResponse {
        let own = id.hasPrefix("MK") ? String(id.dropFirst(2)) : ""
        let found = books.environment == .production ? try? transaction(own) : nil
        return ServedResponse { json in
            json.member("status", found == nil ? 1 : 0)
            json.array("signedTransactions", [found].compactMap { $0 }.map { sign($0) })
        }
    }

    // MARK: Pages

    /// Apple's pages (App Store Server API).
    static let pageSize = 20

    func history(
        _ id: String, _ request: ServedRequest
    ) throws(ServedError) -> ServedResponse {
        let chain = try chain(id)
        let filter = try HistoryFilter(request)
        var all = chain.transactions(at: now).filter { filter.takes($0) }
        if filter.isDescending { all.reverse() }
        let page = try page(of: all, after: request.value("revision"))
        return ServedResponse { json in
            json.member("revision", page.place)
            json.member("hasMore", page.isFollowed)
            json.member("bundleId", statedBundleId)
            json.memberIfPresent("appAppleId", statedAppAppleId)
            json.member("environment", books.environment.rawValue)
            json.array("signedTransactions", page.items.map { sign($0) })
        }
    }

    func refunds(
        _ id: String, _ request: ServedRequest
    ) throws(ServedError) -> ServedResponse {
        let all = try chain(id).transactions(at: now).filter { $0.revocationDate != nil }
            .sorted {
                ($0.revocationDate?.milliseconds ?? 0, $0.key)
                    < ($1.revocationDate?.milliseconds ?? 0, $1.key)
            }
        let page = try page(of: all, after: request.value("revision"))
        return ServedResponse { json in
            json.member("hasMore", page.isFollowed)
            json.member("revision", page.place)
            json.array("signedTransactions", page.items.map { sign($0) })
        }
    }

    private struct Page {
        let items: [TransactionPayload]
        let place: String
        let isFollowed: Bool
    }

    /// The page after a revision. A revision names the last snapshot returned, so later
    /// modifications follow it.
    private func page(
        of all: [TransactionPayload], after revision: String?
    ) throws(ServedError) -> Page {
        var start = 0
        if let revision {
            guard let place = PageToken.read(revision, kind: "r") else {
                throw ServedError(4_000_005, "Invalid request revision.")
            }
            let index = all.firstIndex { "\($0.signed.milliseconds) \($0.key)" == place }
            start = index.map { $0 + 1 } ?? PageToken.position(of: place, in: all)
        }
        if fault == .barren {
            return Page(items: [], place: freshPlace("r"), isFollowed: true)
        }
        let end = min(start + EndpointHandlers.pageSize, all.count)
        let items = Array(all[start..<end])
        let last = items.last ?? (start > 0 ? all[min(start, all.count) - 1] : nil)
        let place = PageToken.make(
            "r", last.map { "\($0.signed.milliseconds) \($0.key)" } ?? "0 ")
        guard fault != .loop else { return Page(items: items, place: place, isFollowed: true) }
        return Page(items: items, place: place, isFollowed: end < all.count)
    }

    /// A cursor that no page has used before.
    func freshPlace(_ kind: String) -> String {
        let number = api.state.withLock { state in
            state.pages += 1
            return state.pages
        }
        return PageToken.make(kind, "0 barren \(number)")
    }
}
