import AppStore
import TestSupport
import Testing

@Suite("Payloads")
struct PayloadTests {
    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test(
        "Every field of the reference is known and survives in order",
        arguments: FullPayloads.Kind.allCases)
    func everyField(_ kind: FullPayloads.Kind) throws {
        let payload = try kind.type.decode(bytes(kind.text))
        #expect(
            String(decoding: payload.encoded(), as: UTF8.self) == FullPayloads.minified(kind.text))
        #expect(payload.unknown.isEmpty)
    }

    @Test(
        "Each key has the property of its name, but for the case of letters",
        arguments: FullPayloads.Kind.allCases)
    func names(_ kind: FullPayloads.Kind) throws {
        let members = try #require(try JSONValue.parse(bytes(kind.text)).object)
        for (path, alone) in leaves(members) {
            let payload = try kind.type.decode(alone.encoded())
            #expect(properties(payload).map { $0.lowercased() } == [path.lowercased()])
        }
    }

    /// Each value that is no object, with its path, inside the objects that lead to it.
    private func leaves(_ members: [JSONMember]) -> [(path: String, alone: JSONValue)] {
        members.flatMap { member -> [(path: String, alone: JSONValue)] in
            let element = member.value.array?.first?.object
            guard let inner = member.value.object ?? element else {
                return [(member.key, .object([member]))]
            }
            return leaves(inner).map { leaf in
                let value = element == nil ? leaf.alone : .array([leaf.alone])
                return (
                    "\(member.key).\(leaf.path)",
                    .object([JSONMember(key: member.key, value: value)])
                )
            }
        }
    }

    /// The paths of the properties that have a value.
    private func properties(_ object: any WireObject) -> [String] {
        Mirror(reflecting: object).children.flatMap { child -> [String] in
            guard let name = child.label, name != "unknown",
                let value = Mirror(reflecting: child.value).children.first?.value
            else { return [] }
            let inner = (value as? any WireObject) ?? (value as? [any WireObject])?.first
            return inner.map { properties($0).map { "\(name).\($0)" } } ?? [name]
        }
    }

    @Test("Unknown enumerated values are kept, and named with their path")
    func unknownValues() throws {
        #expect(
            try TransactionPayload.decode(bytes(FullPayloads.transaction)).unknownValues == [
                "type", "inAppOwnershipType", "revocationReason", "revocationType", "offerType",
                "offerDiscountType", "environment", "transactionReason", "billingPlanType",
                "advancedCommerceInfo.period", "advancedCommerceInfo.items.offer.reason",
                "advancedCommerceInfo.items.refunds.refundReason",
                "advancedCommerceInfo.items.refunds.refundType",
            ])
        #expect(
            try RenewalPayload.decode(bytes(FullPayloads.renewal)).unknownValues == [
                "autoRenewStatus", "expirationIntent", "priceIncreaseStatus", "offerType",
                "offerDiscountType", "environment", "renewalBillingPlanType",
                "commitmentInfo.commitmentAutoRenewStatus",
                "commitmentInfo.commitmentRenewalBillingPlanType", "advancedCommerceInfo.period",
                "advancedCommerceInfo.items.offer.reason",
                "advancedCommerceInfo.items.priceIncreaseInfo.status",
            ])
        #expect(
            try NotificationPayload.decode(bytes(FullPayloads.notification)).unknownValues == [
                "notificationType", "subtype", "data.environment", "data.status",
                "data.consumptionRequestReason", "summary.environment",
                "externalPurchaseToken.tokenType", "appData.environment",
            ])
        #expect(
            try AppTransactionPayload.decode(bytes(FullPayloads.appTransaction)).unknownValues == [
                "receiptType", "originalPlatform", "storeType",
            ])
    }

    @Test("Unknown keys survive with any value, after the known ones")
    func unknownKeys() throws {
        let text =
            #"{"novel":{"deep":[1.50,null,"é"]},"transactionId":"1","other":null,"x/y":1e3,"#
            + #""commitmentInfo":{"later":true,"totalBillingPeriods":12}}"#
        let payload = try TransactionPayload.decode(bytes(text))
        #expect(payload.transactionId == TransactionId("1"))
        #expect(JSONValue.object(payload.unknown)["x/y"] == .number("1e3"))
        #expect(JSONValue.object(payload.unknown)["missing"] == nil)
        let commitment = try #require(payload.commitmentInfo)
        #expect(JSONValue.object(commitment.unknown)["later"] == .bool(true))
        #expect(
            String(decoding: payload.encoded(), as: UTF8.self)
                == #"{"transactionId":"1","commitmentInfo":{"#
                + #""totalBillingPeriods":12,"later":true},"#
                + #""novel":{"deep":[1.50,null,"é"]},"other":null,"x/y":1e3}"#)
        #expect(try TransactionPayload.decode(payload.encoded()) == payload)
    }

    @Test("A key with escapes is the same key")
    func escapedKey() throws {
        let payload = try TransactionPayload.decode(bytes(#"{"\u0070rice":5,"pric\u0065s":6}"#))
        #expect(payload.price == 5)
        #expect(JSONValue.object(payload.unknown)["prices"] == .number("6"))
    }

    @Test(
        "null is an absent field",
        arguments: [
            "price", "transactionId", "signedDate", "type",
            "offerType", "isUpgraded", "commitmentInfo", "advancedCommerceInfo", "offerPeriod",
        ])
    func nullField(_ key: String) throws {
        let payload = try TransactionPayload.decode(bytes("{\"\(key)\":null}"))
        #expect(payload == TransactionPayload())
        #expect(payload.encoded() == bytes("{}"))
    }

    @Test("The literal null is nil where allowed")
    func literalNull() throws {
        #expect(try RenewalPayload.decodeUnlessNull(bytes(" null\n")) == nil)
        #expect(try RenewalPayload.decodeUnlessNull(bytes("{}")) == RenewalPayload())
        let error = #expect(throws: JSONError.self) { try RenewalPayload.decode(bytes("null")) }
        #expect(error == JSONError(.wrongType, offset: 0))
        #expect(throws: JSONError.self) { try RenewalPayload.decodeUnlessNull(bytes("null null")) }
        #expect(throws: JSONError.self) { try RenewalPayload.decodeUnlessNull(bytes("nul")) }
    }

    @Test(
        "Texts that are not one object are rejected",
        arguments: ["", "[]", "1", "\"x\"", "true", "{}{}"])
    func notAnObject(_ text: String) {
        #expect(throws: JSONError.self) { try TransactionPayload.decode(bytes(text)) }
        #expect(throws: JSONError.self) { try TransactionPayload.decodeUnlessNull(bytes(text)) }
    }

    @Test(
        "A known key with a value of another type names the field",
        arguments: [
            ("transactionId", "1"), ("price", "\"1\""), ("price", "true"), ("price", "1.5"),
            ("quantity", "[]"),
            ("isUpgraded", "1"), ("isUpgraded", "\"true\""), ("signedDate", "\"2026\""),
            ("signedDate", "{}"),
            ("type", "1"), ("offerType", "\"1\""), ("offerType", "1.5"), ("commitmentInfo", "[]"),
            ("commitmentInfo", "\"\""), ("advancedCommerceInfo", "1"), ("currency", "false"),
        ])
    func wrongType(_ key: String, _ value: String) {
        let error = #expect(throws: JSONError.self) {
            try TransactionPayload.decode(bytes("{\"\(key)\":\(value)}"))
        }
        #expect(error?.code == .wrongType)
        #expect(error?.field == key)
    }

    @Test(
        "Lists of another type name the field", arguments: ["[1]", "[null]", "{}", "\"a\"", "[[]]"])
    func wrongList(_ value: String) {
        let error = #expect(throws: JSONError.self) {
            try RenewalPayload.decode(bytes("{\"eligibleWinBackOfferIds\":\(value)}"))
        }
        #expect(
            error
                == JSONError(
                    .wrongType, offset: error?.offset ?? 0, field: "eligibleWinBackOfferIds"))
        let nested = #expect(throws: JSONError.self) {
            try AdvancedCommerceRenewalInfo.decode(bytes("{\"items\":[1]}"))
        }
        #expect(nested?.field == "items")
    }

    @Test(
        "Dates round to the nearest millisecond, ties away from zero",
        arguments: [
            ("1697679936049.7297", 1_697_679_936_050), ("1697679936056.485", 1_697_679_936_056),
            ("-62135769600000", -62_135_769_600_000), ("0.5", 1), ("-0.5", -1), ("0.4999", 0),
            ("1.5", 2),
            ("-1.5", -2), ("2.5e0", 3), ("1.697679936e12", 1_697_679_936_000),
            ("253402300799999.4", 253_402_300_799_999),
            ("-62135769600000.4", -62_135_769_600_000), ("1e-30", 0),
            ("0e99999999999999999999", 0),
        ] as [(String, Int64)])
    func dates(_ text: String, _ milliseconds: Int64) throws {
        let payload = try TransactionPayload.decode(bytes("{\"signedDate\":\(text)}"))
        #expect(payload.signedDate?.milliseconds == milliseconds)
    }

    @Test(
        "Integral doubles are integers",
        arguments: [
            ("9223372036854775807", Int64.max), ("999999999999999999", 999_999_999_999_999_999),
            ("5.0", 5), ("5e0", 5), ("50e-1", 5), ("-0", 0), ("9.223372036854775807e18", Int64.max),
        ] as [(String, Int64)])
    func integers(_ text: String, _ value: Int64) throws {
        let payload = try TransactionPayload.decode(
            bytes("{\"price\":\(text),\"offerType\":\(text)}"))
        #expect(payload.price == value)
        #expect(payload.offerType?.rawValue == value)
    }

    @Test(
        "Numbers outside Int64 are rejected with the field",
        arguments: [
            "9223372036854775808", "-9223372036854775809", "9223372036854775807.5", "1e19", "1e400",
            "1e99999999999999999999999", "123456789012345678901234567890",
        ])
    func outOfRange(_ number: String) {
        for key in ["signedDate", "price"] where key == "signedDate" || !number.contains(".") {
            let error = #expect(throws: JSONError.self) {
                try TransactionPayload.decode(bytes("{\"\(key)\":\(number)}"))
            }
            #expect(error?.code == .numberOutOfRange)
            #expect(error?.field == key)
        }
    }

    @Test(
        "Broken numbers of a known field are malformed",
        arguments: ["01", "1.", "-", "1e", "--1", "1x", ".1", "0x1", "1e1.0"])
    func brokenNumbers(_ number: String) {
        for key in ["signedDate", "price", "offerType"] {
            let error = #expect(throws: JSONError.self) {
                try TransactionPayload.decode(bytes("{\"\(key)\":\(number)}"))
            }
            #expect(error?.code == .malformed)
        }
    }

    @Test(
        "The app is taken from the part that is present",
        arguments: [
            (#""data":{"bundleId":"a","appAppleId":1,"environment":"Sandbox"}"#, "a", 1, "Sandbox"),
            (
                #""summary":{"bundleId":"b","appAppleId":2,"environment":"Production"}"#, "b", 2,
                "Production"
            ),
            (
                #""externalPurchaseToken":{"bundleId":"c","externalPurchaseId":"SANDBOX_1"}"#, "c",
                nil, "Sandbox"
            ),
            (
                #""externalPurchaseToken":{"bundleId":"c","externalPurchaseId":"1"}"#, "c", nil,
                "Production"
            ),
            (#""externalPurchaseToken":{"appAppleId":3}"#, nil, 3, nil),
            (#""appData":{"bundleId":"d","environment":"Xcode"}"#, "d", nil, "Xcode"),
            (#""appData":{"bundleId":"d"},"data":{}"#, nil, nil, nil),
            (#""version":"2.0""#, nil, nil, nil),
        ] as [(String, String?, Int64?, String?)])
    func app(_ text: String, _ bundleId: String?, _ appAppleId: Int64?, _ environment: String?)
        throws
    {
        let payload = try NotificationPayload.decode(bytes("{\(text)}"))
        #expect(payload.bundleId?.rawValue == bundleId)
        #expect(payload.appAppleId == appAppleId)
        #expect(payload.environment?.rawValue == environment)
    }

    @Test("A truncated text is an error", arguments: FullPayloads.Kind.allCases)
    func truncated(_ kind: FullPayloads.Kind) {
        let whole = bytes(FullPayloads.minified(kind.text))
        // At every place in a soak.
        let places = Array(stride(from: 0, to: whole.count, by: Soak.count(3, soak: 1)))
        for count in places + [whole.count - 1] {
            let part = Array(whole.prefix(count))
            #expect(throws: JSONError.self) { try JSONValue.parse(part) }
            // The decoders read with the same cursor.
            guard Soak.isOn || count.isMultiple(of: 2) || count == whole.count - 1
            else { continue }
            #expect(throws: JSONError.self) { try TransactionPayload.decode(part) }
            #expect(throws: JSONError.self) { try RenewalPayload.decode(part) }
            #expect(throws: JSONError.self) { try NotificationPayload.decodeUnlessNull(part) }
        }
    }
}
