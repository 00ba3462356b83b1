/// The signed parts Apple puts inside a notification (responseBodyV2DecodedPayload), by key.
package enum SignedField: CaseIterable, Hashable, Sendable {
    case transaction
    case renewal
    case appTransaction

    var key: StaticString {
        switch self {
        case .transaction: "signedTransactionInfo"
        case .renewal: "signedRenewalInfo"
        case .appTransaction: "signedAppTransactionInfo"
        }
    }

    /// The part whose string value starts at the end of `text`, which ends before the quote.
    init?(valueAfter text: UnsafeBufferPointer<UInt8>) {
        var end = SignedField.withoutSpace(text, text.count)
        guard end > 0, text[end - 1] == UInt8(ascii: ":") else { return nil }
        end = SignedField.withoutSpace(text, end - 1)
        guard end > 0, text[end - 1] == UInt8(ascii: "\"") else { return nil }
        end -= 1
        for part in SignedField.allCases {
            let count = part.key.utf8CodeUnitCount
            guard end > count, text[end - count - 1] == UInt8(ascii: "\"") else { continue }
            let name = UnsafeBufferPointer(start: part.key.utf8Start, count: count)
            if text[(end - count)..<end].elementsEqual(name) {
                self = part
                return
            }
        }
        return nil
    }

    private static func withoutSpace(_ text: UnsafeBufferPointer<UInt8>, _ end: Int) -> Int {
        var end = end
        while end > 0, text[end - 1] == 0x20 || (0x09...0x0D).contains(text[end - 1]) { end -= 1 }
        return end
    }
}
