import AppStore
internal import Signing

/// Converts deliveries to well-formed compact JWS with random signatures, to measure the stages
/// after verification with more events than can be signed.
public struct UnsignedDeliveries: Sendable {
    private let headerSegment: [UInt8]
    private static let signatureByteCount = 64

    /// Uses headers like those of `authority`.
    public init(like authority: Authority) { headerSegment = authority.headerSegment }

    /// The token of a notification with its nested parts; nil for any other delivery.
    public func token(
        _ delivery: Delivery, _ chance: inout SeededGenerator
    ) -> [UInt8]? {
        guard case .notification(var notification, let transaction, let renewal) = delivery.evidence
        else { return nil }
        if let transaction {
            notification.data?.signedTransactionInfo = text(transaction.encoded(), &chance)
        }
        if let renewal { notification.data?.signedRenewalInfo = text(renewal.encoded(), &chance) }
        return token(notification.encoded(), &chance)
    }

    private func text(_ payload: [UInt8], _ chance: inout SeededGenerator) -> String {
        String(decoding: token(payload, &chance), as: UTF8.self)
    }

    private func token(_ payload: [UInt8], _ chance: inout SeededGenerator) -> [UInt8] {
        var signature: [UInt8] = []
        while signature.count < UnsignedDeliveries.signatureByteCount {
            withUnsafeBytes(of: chance.next()) { signature.append(contentsOf: $0) }
        }
        let dot = UInt8(ascii: ".")
        return headerSegment + [dot] + Base64URL.encode(payload) + [dot]
            + Base64URL.encode(signature)
    }
}
