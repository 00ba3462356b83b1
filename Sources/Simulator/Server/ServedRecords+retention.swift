public import AppStore
import Foundation

extension ServedRecords {
    /// The bodies of the real-time requests that Apple posts when the customer of each active
    /// subscription is about to cancel (Retention Messaging API), by subscription.
    ///
    /// Throws what signing throws.
    public func retentionRequests(
        at now: Timestamp, locale: String, signedBy authority: Authority
    ) throws -> [[UInt8]] {
        var bodies: [[UInt8]] = []
        for chain in chains.values.sorted(by: {
            $0.originalTransactionId < $1.originalTransactionId
        }) where chain.status(at: now) == .active {
            var payload = RetentionRequestPayload()
            payload.originalTransactionId = OriginalTransactionId(chain.originalTransactionId)
            payload.appAppleId = appAppleId
            payload.productId = chain.transactions(at: now).last?.productId
            payload.userLocale = locale
            payload.requestIdentifier = UUID().uuidString.lowercased()
            payload.environment = Raw(environment)
            payload.signedDate = now
            bodies.append(try authority.retentionBody(payload))
        }
        return bodies
    }
}

extension Authority {
    /// The body that Apple posts with a real-time request.
    ///
    /// Throws what signing throws.
    public func retentionBody(_ payload: RetentionRequestPayload) throws -> [UInt8] {
        let token = try sign(payload.encoded())
        var json = JSONWriter()
        json.object { $0.member("signedPayload", String(decoding: token, as: UTF8.self)) }
        return json.bytes
    }
}
