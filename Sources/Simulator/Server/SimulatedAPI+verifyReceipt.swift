import AppStore
internal import Signing

/// verifyReceipt (`OriginalStoreKit.md`). It has statuses, but no rates, tokens or faults.
extension SimulatedAPI {
    func verifyReceipt(_ request: ServedRequest) -> ServedResponse {
        guard request.method == "POST" else { return SimulatedAPI.status(.notPosted) }
        guard let body = try? JSONValue.parse(request.body),
            let data = body["receipt-data"]?.string,
            let receipt = try? ReceiptVerifier.readUnverified(Array(data.utf8))
        else { return SimulatedAPI.status(.malformedOrTemporary) }
        let books = setup.books
        guard receipt.bundleId == books.bundleId else {
            return SimulatedAPI.status(.notAuthenticated)
        }
        guard receipt.environment == books.environment else {
            return SimulatedAPI.status(
                receipt.environment == .production ? .isProductionReceipt : .isSandboxReceipt)
        }
        guard body["password"]?.string == setup.sharedSecret else {
            return SimulatedAPI.status(.wrongSharedSecret)
        }
        let reported = OriginalStoreKit(books)
        let now = setup.storeClock()
        let answer = receipt.originalTransactionIds.lazy.compactMap { id in
            reported.verifyReceipt(of: id.rawValue, at: now, latestReceipt: data)
        }.first
        guard let answer else { return SimulatedAPI.status(.accountNotFound) }
        return ServedResponse(status: 200, body: answer)
    }

    private static func status(_ status: VerifyReceiptStatus) -> ServedResponse {
        ServedResponse { json in json.member("status", status.rawValue) }
    }
}
