import AppStore
import Foundation
import Synchronization

/// Mutating endpoints.
extension EndpointHandlers {
    func extend(
        _ id: String, _ request: ServedRequest
    ) throws(ServedError) -> ServedResponse {
        let body = try object(request.body)
        let days = try extensionDays(body)
        let chain = try originalChain(id, ServedError(4_000_008, "Invalid original id."))
        guard let current = currentTransaction(chain), let end = current.expiresDate,
            chain.status(at: statusMoment(chain)) == .active
        else { throw ServedError(4_030_004, "Not eligible for an extension.") }
        guard current.inAppOwnershipType?.value != .familyShared else {
            throw ServedError(4_030_007, "A family member's subscription.")
        }
        let isExtended = api.state.withLock { state -> Bool in
            let yearAgo = now.advanced(byMilliseconds: -365 * 86_400_000)
            let earlier = state.extensions[chain.originalTransactionId] ?? []
            guard earlier.count(where: { $0.at > yearAgo }) < 2 else { return false }
            state.extensions[chain.originalTransactionId, default: []]
                .append((now, days, current.key))
            return true
        }
        guard isExtended else { throw ServedError(4_030_005, "Extended too often.") }
        return ServedResponse { json in
            json.member("originalTransactionId", chain.originalTransactionId)
            json.memberIfPresent("webOrderLineItemId", current.webOrderLineItemId)
            json.member("success", true)
            json.member("effectiveDate", extended(end, of: current).milliseconds)
        }
    }

    func massExtend(_ request: ServedRequest) throws(ServedError) -> ServedResponse {
        let body = try object(request.body)
        _ = try extensionDays(body)
        let product = body["productId"]?.string ?? ""
        guard !product.isEmpty else { throw ServedError(4_000_023, "Invalid product id.") }
        let identifier = body["requestIdentifier"]?.string ?? ""
        guard UUID(uuidString: identifier) != nil else {
            throw ServedError(4_000_011, "Invalid request identifier.")
        }
        if let list = body["storefrontCountryCodes"] {
            guard let codes = list.array, !codes.isEmpty else {
                throw ServedError(4_000_027, "Empty storefront country code list.")
            }
            guard codes.allSatisfy({ $0.string?.utf8.count == 3 }) else {
                throw ServedError(4_000_028, "Invalid storefront country code.")
            }
        }
        api.state.withLock { $0.massExtensions["\(product) \(identifier)"] = now }
        return ServedResponse { json in json.member("requestIdentifier", identifier) }
    }

    /// Complete at the second request, since Apple takes hours to days.
    func massExtendStatus(
        _ product: String, _ identifier: String
    ) throws(ServedError) -> ServedResponse {
        let key = "\(product) \(identifier)"
        let (began, requests) = api.state.withLock { state in
            (state.massExtensions[key], state.counts[.massExtendRenewalDateStatus] ?? 0)
        }
        guard let began else { throw ServedError(4_040_009, "Status request not found.") }
        let isComplete = requests > 1
        let count = books.chains.values.count { chain in
            chain.transactions(at: began).last?.productId?.rawValue == product
                && chain.status(at: began) == .active
        }
        return ServedResponse { json in
            json.member("requestIdentifier", identifier)
            json.member("complete", isComplete)
            guard isComplete else { return }
            json.member("completeDate", began.milliseconds)
            json.member("succeededCount", count)
            json.member("failedCount", 0)
        }
    }

    func consumption(
        _ id: String, _ request: ServedRequest
    ) throws(ServedError) -> ServedResponse {
        let body = try object(request.body)
        guard body["customerConsented"]?.bool == true else {
            throw ServedError(4_000_035, "Invalid customer consented.")
        }
        guard body["sampleContentProvided"]?.bool != nil else {
            throw ServedError(4_000_041, "Invalid sample content provided.")
        }
        let delivered =
            ["DELIVERED", "UNDELIVERED_QUALITY_ISSUE", "UNDELIVERED_WRONG_ITEM"]
            + ["UNDELIVERED_SERVER_OUTAGE", "UNDELIVERED_OTHER"]
        guard delivered.contains(body["deliveryStatus"]?.string ?? "") else {
            throw ServedError(4_000_036, "Invalid delivery status.")
        }
        let preferences = ["DECLINE", "GRANT_FULL", "GRANT_PRORATED"]
        if let preference = body["refundPreference"],
            !preferences.contains(preference.string ?? "")
        {
            throw ServedError(4_000_044, "Invalid refund preference.")
        }
        let found = try transaction(id)
        guard
            body["consumptionPercentage"] == nil || found.type?.value != .autoRenewableSubscription
        else { throw ServedError(4_000_209, "Auto-renewable subscriptions have none.") }
        return ServedResponse(status: 202)
    }

    func setToken(
        _ id: String, _ request: ServedRequest
    ) throws(ServedError) -> ServedResponse {
        let body = try object(request.body)
        guard let token = body["appAccountToken"]?.string, UUID(uuidString: token) != nil else {
            throw ServedError(4_000_183, "The app account token must be a UUID.")
        }
        let chain = try originalChain(
            id, ServedError(4_000_187, "Not an original transaction id."))
        guard chain.transactions(at: now).last?.inAppOwnershipType?.value != .familyShared else {
            throw ServedError(4_000_185, "Family sharing is not supported here.")
        }
        let from = currentTransaction(chain)?.purchaseDate ?? now
        api.state.withLock {
            $0.tokens[chain.originalTransactionId, default: []].append((from, token.lowercased()))
        }
        return ServedResponse(status: 200)
    }

    func finish(_ id: String) throws(ServedError) -> ServedResponse {
        _ = try transaction(id)
        return ServedResponse(status: 200)
    }

    // MARK: Checks

    func object(_ bytes: [UInt8]) throws(ServedError) -> JSONValue {
        guard let body = try? JSONValue.parse(bytes), body.object != nil else {
            throw ServedError(4_000_000, "Bad request.")
        }
        return body
    }

    private func extensionDays(_ body: JSONValue) throws(ServedError) -> Int64 {
        guard let days = body["extendByDays"]?.int64, (1...90).contains(days) else {
            throw ServedError(4_000_009, "Invalid extend by days.")
        }
        guard let reason = body["extendReasonCode"]?.int64, (0...3).contains(reason) else {
            throw ServedError(4_000_010, "Invalid extend reason code.")
        }
        let identifier = body["requestIdentifier"]?.string ?? ""
        guard (1...128).contains(identifier.count) else {
            throw ServedError(4_000_011, "Invalid request identifier.")
        }
        return days
    }

    /// A chain, named by its original id only.
    private func originalChain(
        _ id: String, _ error: ServedError
    ) throws(ServedError) -> ServedRecords.Chain {
        let found: ServedRecords.Chain
        do throws(ServedError) { found = try chain(id) } catch {
            guard error.number == 4_040_010 else { throw error }
            throw ServedError(4_040_005, "Original transaction id not found.")
        }
        guard found.originalTransactionId == id else { throw error }
        return found
    }
}
