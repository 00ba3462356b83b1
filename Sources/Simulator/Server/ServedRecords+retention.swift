public import AppStore
import Foundation

extension ServedRecords {
    /// The real-time request that Apple makes when the customer of a subscription is about to
    /// cancel (Retention Messaging API).
    func retentionRequest(
        about chain: Chain, at now: Timestamp, locale: String
    ) -> RetentionRequestPayload {
        var payload = RetentionRequestPayload()
        payload.originalTransactionId = OriginalTransactionId(chain.originalTransactionId)
        payload.appAppleId = appAppleId
        payload.productId = chain.transactions(at: now).last?.productId
        payload.userLocale = locale
        payload.requestIdentifier = UUID().uuidString.lowercased()
        payload.environment = Raw(environment)
        payload.signedDate = now
        return payload
    }
}

extension Authority {
    /// The body that Apple posts with a real-time request.
    ///
    /// Throws what signing throws.
    public func retentionBody(_ payload: RetentionRequestPayload) throws -> [UInt8] {
        let token = String(decoding: try sign(payload.encoded()), as: UTF8.self)
        return JSONWriter.object { $0.member("signedPayload", token) }
    }
}
