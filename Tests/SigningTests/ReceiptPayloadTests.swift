import AppStore
import Simulator
import Testing

@testable import Signing

@Suite("Contents of a receipt")
struct ReceiptPayloadTests {
    private typealias Attribute = ReceiptContents.Attribute

    private static func decode(_ attributes: [ReceiptContents.Attribute]) throws -> AppReceipt {
        try AppReceipt.decode(ReceiptContents(attributes).payload)
    }

    private static func failure(_ payload: [UInt8]) -> AppReceiptError.Code? {
        do throws(AppReceiptError) {
            _ = try AppReceipt.decode(payload)
            return nil
        } catch {
            return error.code
        }
    }

    private static func failure(_ attributes: [ReceiptContents.Attribute]) -> AppReceiptError.Code?
    {
        failure(ReceiptContents(attributes).payload)
    }

    @Test("An empty receipt has no values")
    func empty() throws {
        let receipt = try Self.decode([])
        #expect(receipt.bundleId == nil)
        #expect(receipt.environment == nil)
        #expect(receipt.inAppPurchases.isEmpty)
        #expect(receipt.originalTransactionIds.isEmpty)
        #expect(receipt.otherAttributes.isEmpty)
    }

    @Test("Empty texts, empty values and zeros are absent")
    func absent() throws {
        let receipt = try Self.decode([
            .date(12, nil), .text(19, ""), .number(1, 0), Attribute(3, value: []),
            .purchase([.date(1708, nil), .date(1712, nil), .number(1711, 0), .text(1705, "")]),
        ])
        #expect(receipt.creationDate == nil)
        #expect(receipt.originalApplicationVersion == nil)
        #expect(receipt.appAppleId == nil)
        #expect(receipt.applicationVersion == nil)
        let purchase = try #require(receipt.inAppPurchases.first)
        #expect(purchase.expiresDate == nil)
        #expect(purchase.cancellationDate == nil)
        #expect(purchase.webOrderLineItemId == nil)
        #expect(purchase.originalTransactionId == nil)
        #expect(purchase.otherAttributes.isEmpty)
    }

    @Test("Attributes of unknown types are kept raw, in any number and form")
    func unknown() throws {
        let strange: [ReceiptContents.Attribute] = [
            Attribute(9999, version: 7, value: [1, 2, 3]), Attribute(9999, value: []),
            Attribute(-1, value: [0x30, 0x80]), Attribute(Int64.max, value: [0]),
        ]
        let receipt = try Self.decode(strange + [.purchase(strange)])
        let expected = strange.map {
            ReceiptAttribute(type: $0.type, version: $0.version, value: $0.value)
        }
        #expect(receipt.otherAttributes == expected)
        #expect(receipt.inAppPurchases.map(\.otherAttributes) == [expected])
    }

    @Test("Unknown receipt and product types are kept raw")
    func unknownValues() throws {
        let receipt = try Self.decode([
            .text(0, "ProductionMoon"), .purchase([.number(1707, 17)]),
        ])
        #expect(receipt.receiptType?.rawValue == "ProductionMoon")
        #expect(receipt.environment == nil)
        #expect(receipt.inAppPurchases.first?.productType?.rawValue == 17)
        #expect(receipt.inAppPurchases.first?.productType?.value == nil)
    }

    @Test(
        "A known attribute in another form is rejected",
        arguments: [
            Attribute(2, value: DER.integer(5)), Attribute(2, value: [0x0C, 0x01, 0xFF]),
            Attribute(2, value: [0x0C, 0x02, 0x61]), Attribute(2, value: DER.utf8String("a") + [0]),
            Attribute(1, value: DER.utf8String("1")),
            Attribute(1, value: [0x02, 0x09, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
            Attribute(1, value: [0x02, 0x00]), .text(12, "yesterday"),
            .text(12, "2024-02-30T00:00:00Z"), .text(12, "2024-02-03"),
            .text(12, "2020-07-22T18:33:15+01"), .text(12, "2020-07-22T18:33:15 0100"),
            .purchase([.number(1703, 5)]), .purchase([.text(1708, "soon")]),
            .text(18, "x"),
        ])
    func wrongForm(_ attribute: ReceiptContents.Attribute) {
        #expect(Self.failure([attribute]) == .wrongForm)
    }

    @Test("A known attribute occurs once, empty or not")
    func duplicates() throws {
        #expect(Self.failure([.text(0, "Production"), .text(0, "Xcode")]) == .duplicateAttribute)
        #expect(Self.failure([.date(12, nil), .date(12, Trial.now)]) == .duplicateAttribute)
        #expect(
            Self.failure([.purchase([.date(1712, nil), .date(1712, Trial.now)])])
                == .duplicateAttribute)
        let twice = try Self.decode([.purchase([]), .purchase([])])
        #expect(twice.inAppPurchases.count == 2)
    }

    @Test(
        "Input that is not a set of attributes is rejected",
        arguments: [
            [], [0x31], [0x31, 0x01], [0x30, 0x00], [0x31, 0x00, 0x00], [0x05, 0x00],
            [0x04, 0x00], [0x04, 0x02, 0x31, 0x00, 0x00], [0x04, 0x04, 0x04, 0x02, 0x31, 0x00],
            DER.set([DER.sequence([])]), DER.set([DER.integer(1)]),
            DER.set([DER.sequence([DER.integer(1), DER.integer(1)])]),
            DER.set([DER.sequence([DER.integer(1), DER.integer(1), DER.utf8String("")])]),
            DER.set([
                DER.sequence([DER.integer(1), DER.integer(1), DER.octetString([]), DER.null])
            ]),
            DER.set([
                DER.sequence([
                    [0x02, 0x09, 1, 0, 0, 0, 0, 0, 0, 0, 0], DER.integer(1), DER.octetString([]),
                ])
            ]),
            ReceiptContents([ReceiptContents.Attribute(17, value: [])]).payload,
            ReceiptContents([ReceiptContents.Attribute(17, value: [0x30, 0x00])]).payload,
        ] as [[UInt8]])
    func malformed(_ payload: [UInt8]) {
        #expect(Self.failure(payload) == .malformed)
    }

    @Test("Dates are exact, including Xcode's offsets without a colon")
    func dates() throws {
        let cases: [(String, Int64)] = [
            ("2020-07-22T17:33:15Z", 1_595_439_195_000),
            ("2020-07-22T18:33:15+0100", 1_595_439_195_000),
            ("2020-07-22T12:03:15-0530", 1_595_439_195_000),
            ("4001-01-01T00:00:00+0000", 64_092_211_200_000),
        ]
        for (text, expected) in cases {
            #expect(try Self.decode([.text(12, text)]).creationDate?.milliseconds == expected)
        }
    }

    @Test("Chains are named once each, in the order of first mention")
    func chains() throws {
        let receipt = try Self.decode([
            .purchase([.text(1703, "3"), .text(1705, "1")]), .purchase([.text(1703, "2")]),
            .purchase([.text(1703, "4"), .text(1705, "1")]), .purchase([.text(1702, "none")]),
            .purchase([.text(1703, "2"), .text(1705, "2")]),
        ])
        #expect(receipt.originalTransactionIds.map(\.rawValue) == ["1", "2"])
    }

    @Test("The numbers of attributes and purchases are bounded")
    func bounds() throws {
        let limit = AppReceiptLimits.attributeCount
        let many = (0..<limit).map { Attribute(Int64(30_000 + $0), value: []) }
        let one = Attribute(1, value: [])
        #expect(try Self.decode(many).otherAttributes.count == limit)
        #expect(Self.failure(many + [one]) == .tooManyAttributes)
        #expect(Self.failure([.purchase(many)]) == nil)
        #expect(Self.failure([.purchase(many + [one])]) == .tooManyAttributes)
        // Purchases have a separate limit.
        let purchases = [Attribute](
            repeating: .purchase([.text(1703, "1")]), count: AppReceiptLimits.inAppPurchaseCount)
        #expect(Self.failure(many + purchases) == nil)
        #expect(Self.failure(many + purchases + [.purchase([])]) == .tooManyPurchases)
    }

    @Test("In a signed receipt, the same errors have verification codes")
    func codes() throws {
        #expect(try ReceiptTrial.code(payload: ReceiptContents([]).payload) == .undecodablePayload)
        #expect(try ReceiptTrial.code(payload: [0x31]) == .undecodablePayload)
        #expect(try ReceiptTrial.code(payload: []) == .undecodablePayload)
        let many = (0...AppReceiptLimits.attributeCount).map {
            Attribute(Int64(100 + $0), value: [])
        }
        #expect(try ReceiptTrial.code(payload: ReceiptContents(many).payload) == .payloadTooLarge)
        // The smallest valid receipt.
        #expect(try ReceiptTrial.code(payload: ReceiptContents([.text(2, "a")]).payload) == nil)
    }

    @Test("An integer is written in the fewest octets, and parses back")
    func integers() throws {
        let cases: [(Int64, [UInt8])] = [
            (0, [2, 1, 0]), (127, [2, 1, 0x7F]), (128, [2, 2, 0, 0x80]), (-1, [2, 1, 0xFF]),
            (-128, [2, 1, 0x80]), (-129, [2, 2, 0xFF, 0x7F]), (9999, [2, 2, 0x27, 0x0F]),
            (.max, [2, 8, 0x7F, 255, 255, 255, 255, 255, 255, 255]),
            (.min, [2, 8, 0x80, 0, 0, 0, 0, 0, 0, 0]),
        ]
        for (number, expected) in cases {
            #expect(DER.integer(number) == expected)
            let receipt = try Self.decode([.number(1, number)])
            #expect(receipt.appAppleId == (number == 0 ? nil : number))
        }
    }
}
