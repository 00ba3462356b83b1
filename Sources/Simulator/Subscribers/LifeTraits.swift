/// Constants of one life: the customer, the app's settings, and the members that Apple's payloads
/// of the time contain.
package struct LifeTraits: Sendable {
    /// The form of webOrderLineItemId.
    enum LineItems: Sendable {
        /// A new one per period.
        case unique
        /// "0", as in Xcode and old sandbox data: joins nothing.
        case zero
        case absent
        /// Some non-overlapping periods share one; they remain two periods.
        case sometimesShared
    }

    package let pace: Pace
    let isFamilyShared: Bool
    let isCommitment: Bool
    let lineItems: LineItems
    /// `data.status` is stated (since 2023-06).
    let statesStatus: Bool
    /// `transactionReason` is stated (since 2023-06).
    let statesReason: Bool
    /// `offerDiscountType` is stated (since 2023-10).
    let statesDiscountType: Bool
    /// The notification itself has a signedDate (since mid-2022).
    let statesEnvelopeDate: Bool
    let appAccountToken: String?
    let storefront: String
    package let currency: String

    package init(_ random: inout SeededGenerator) {
        pace = random.pick(
            weighted: [
                (.calendar, 80), (.fiveMinutes, 8), (.thirtyMinutes, 4), (.oneHour, 4),
                (.testFlight, 4),
            ])
        isCommitment = pace == .calendar && random.chance(6)
        isFamilyShared = !isCommitment && random.chance(8)
        lineItems = random.pick(
            weighted: [(.unique, 85), (.zero, 5), (.absent, 5), (.sometimesShared, 5)])
        let age = random.below(10)
        statesStatus = age > 0
        statesReason = age > 0
        statesDiscountType = age > 1
        statesEnvelopeDate = age > 0 || random.chance(50)
        appAccountToken =
            random.chance(60) ? LifeTraits.uuid(random.next(), random.next()) : nil
        (storefront, currency) = random.pick([
            ("USA", "USD"), ("DEU", "EUR"), ("JPN", "JPY"), ("GBR", "GBP"), ("BRA", "BRL"),
        ])
    }

    /// The two integers as a version 4 UUID.
    static func uuid(_ high: UInt64, _ low: UInt64) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for (index, shift) in stride(from: 124, through: 0, by: -4).enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append(UInt8(ascii: "-")) }
            var nibble = Int((shift >= 64 ? high >> UInt64(shift - 64) : low >> UInt64(shift)) & 15)
            if index == 12 { nibble = 4 }
            if index == 16 { nibble = nibble & 3 | 8 }
            text.append(digits[nibble])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
