import AppStore
import Ledger
import Testing

@Suite("Statements of receipts and bodies")
struct ReceiptStatementsTests {
    private static let statedAt = day(40)

    private static func origin(_ trust: Trust = .secret) -> FactOrigin {
        FactOrigin(position: 7, receivedAt: day(41), trust: trust, digest: .unset)
    }

    private static func digest(_ part: Int) -> Digest {
        Digest(words: (UInt64(part), 1, 2, 3))
    }

    private func statements(_ body: String) throws -> ReceiptStatements {
        ReceiptStatements(
            try NotificationV1(JSONValue.parse(Array(body.utf8))),
            origin: ReceiptStatementsTests.origin(), statedAt: ReceiptStatementsTests.statedAt,
            digest: ReceiptStatementsTests.digest)
    }

    /// A body of this type about a chain with two periods and another chain with one.
    private func body(_ type: String, _ more: String = "", _ transaction: String = "") -> String {
        """
        {"notification_type":"\(type)","environment":"PROD","bid":"com.example.app",
         "original_transaction_id":"1"\(more),
         "unified_receipt":{"status":0,"latest_receipt_info":[
          {"transaction_id":"12","original_transaction_id":"1","product_id":"a",
           "purchase_date_ms":"2000","expires_date_ms":"3000"\(transaction)},
          {"transaction_id":"9","original_transaction_id":"9","product_id":"c",
           "purchase_date_ms":"2500","expires_date_ms":"9000"},
          {"transaction_id":"1","original_transaction_id":"1","product_id":"a",
           "purchase_date_ms":"1000","expires_date_ms":"2000"}],
         "pending_renewal_info":[
          {"original_transaction_id":"1","product_id":"a","auto_renew_product_id":"a",
           "auto_renew_status":"1"},
          {"original_transaction_id":"9","product_id":"c","auto_renew_product_id":"c",
           "auto_renew_status":"0"}]}}
        """
    }

    @Test("Each transaction is a fact of its own chain; the newest carries the renewal")
    func parts() throws {
        let parts = try statements(body("DID_RENEW")).parts
        #expect(parts.map(\.originalTransactionId.rawValue) == ["1", "1", "9"])
        #expect(parts.map { $0.fact.transaction?.transactionId.rawValue } == ["1", "12", "9"])
        #expect(parts.map { $0.fact.renewal?.willRenewStated } == [nil, true, false])
        // Only the chain of the notification has its content.
        #expect(parts.map { $0.fact.cause.notificationType?.value } == [nil, .didRenew, nil])
        #expect(parts.allSatisfy { $0.fact.signedDate == day(40) && $0.fact.trust == .secret })
        #expect(parts.allSatisfy { $0.fact.position == 7 && $0.fact.cause.kind == .notificationV1 })
        #expect(Set(parts.map(\.fact.digest)).count == parts.count)
    }

    @Test("The same lists in another order state the same")
    func order() throws {
        let one = try statements(body("DID_RENEW"))
        let other = try statements(
            body("DID_RENEW").replacing("\"12\"", with: "\"X\"").replacing("\"1\"", with: "\"1\"")
                .replacing("\"X\"", with: "\"12\""))
        #expect(one.parts.map(\.fact) == other.parts.map(\.fact))
        let repeated = try statements(
            body("DID_RENEW").replacing(
                "\"latest_receipt_info\":[",
                with: """
                    "latest_receipt_info":[{"transaction_id":"1","original_transaction_id":"1",
                    "product_id":"a","purchase_date_ms":"1000","expires_date_ms":"2000"},
                    """))
        #expect(repeated.parts.map(\.fact) == one.parts.map(\.fact))
    }

    @Test("Of a purchase listed twice the cancelled one counts, then the later end, in any order")
    func repeated() throws {
        let other = """
            {"transaction_id":"12","original_transaction_id":"1","product_id":"a",
             "purchase_date_ms":"2000"
            """
        for (more, revoked, end) in [
            (",\"expires_date_ms\":\"2900\",\"cancellation_date_ms\":\"2500\"}", 2_500, 2_900),
            (",\"expires_date_ms\":\"3100\"}", nil, 3_100),
            (",\"expires_date_ms\":\"2900\"}", nil, 3_000),
            (",\"expires_date_ms\":\"3000\",\"is_trial_period\":\"true\"}", nil, 3_000),
            (",\"expires_date_ms\":\"3000\",\"quantity\":\"2\"}", nil, 3_000),
        ] as [(String, Int64?, Int64)] {
            let list = body("DID_RENEW")
            let first = try statements(
                list.replacing(
                    "\"latest_receipt_info\":[", with: "\"latest_receipt_info\":[\(other)\(more),"))
            let last = try statements(
                list.replacing("\"2000\"}],", with: "\"2000\"},\(other)\(more)],"))
            #expect(first.parts.map(\.fact) == last.parts.map(\.fact))
            #expect(first.parts.count == 3)
            let kept = first.parts[1].fact.transaction
            #expect(kept?.revocationDate?.milliseconds == revoked)
            #expect(kept?.expiresDate?.milliseconds == end)
        }
    }

    @Test("Renewals and purchases of one moment are chosen by content, in any order")
    func tied() throws {
        let renewals = ["b", "c"].map { product in
            """
            {"original_transaction_id":"1","product_id":"\(product)",
             "auto_renew_product_id":"\(product)","auto_renew_status":"\(product == "b" ? 1 : 0)"}
            """
        }
        let purchases = ["5", "6"].map { id in
            """
            {"transaction_id":"\(id)","original_transaction_id":"\(id)","product_id":"a",
             "purchase_date_ms":"2000","expires_date_ms":"3000"}
            """
        }
        func read(_ purchases: [String], _ renewals: [String]) throws -> [Fact] {
            try statements(
                """
                {"notification_type":"DID_CHANGE_RENEWAL_STATUS","environment":"PROD",
                 "bid":"com.example.app","unified_receipt":{"status":0,
                 "latest_receipt_info":[\(purchases.joined(separator: ","))],
                 "pending_renewal_info":[\(renewals.joined(separator: ","))]}}
                """
            ).parts.map(\.fact)
        }
        let facts = try read(purchases, renewals)
        #expect(facts.filter { $0.cause.notificationType != nil }.count == 1)
        #expect(try read(purchases.reversed(), renewals) == facts)
        #expect(try read(purchases, renewals.reversed()) == facts)
        #expect(try read(purchases, []) == read(purchases.reversed(), []))
    }

    /// The interpretation of each version 1 type.
    static let types: [(String, String, String, NotificationType, Subtype?)] = [
        ("INITIAL_BUY", "", "", .subscribed, .initialBuy),
        ("DID_RENEW", "", "", .didRenew, nil),
        ("DID_RECOVER", "", "", .didRenew, .billingRecovery),
        ("RENEWAL", "", "", .didRenew, .billingRecovery),
        ("INTERACTIVE_RENEWAL", "", "", .subscribed, .resubscribe),
        (
            "INTERACTIVE_RENEWAL", "", ",\"is_upgraded\":\"true\"", .didChangeRenewalPref, .upgrade
        ),
        ("DID_CHANGE_RENEWAL_PREF", "", "", .didChangeRenewalPref, nil),
        ("DID_CHANGE_RENEWAL_STATUS", "", "", .didChangeRenewalStatus, .autoRenewEnabled),
        ("DID_FAIL_TO_RENEW", "", "", .didFailToRenew, nil),
        ("PRICE_INCREASE_CONSENT", "", "", .priceIncrease, .pending),
        ("CANCEL", "", ",\"cancellation_date_ms\":\"2900\"", .refund, nil),
        (
            "CANCEL", "", ",\"cancellation_date_ms\":\"2900\",\"is_upgraded\":\"true\"",
            .didChangeRenewalPref, .upgrade
        ),
        ("REFUND", "", ",\"cancellation_date_ms\":\"2900\"", .refund, nil),
        ("CONSUMPTION_REQUEST", "", "", .consumptionRequest, nil),
        ("REVOKE", "", ",\"cancellation_date_ms\":\"2900\"", .revoke, nil),
    ]

    @Test("Every version 1 type maps to one of version 2", arguments: types)
    func readAsVersionTwo(
        name: String, more: String, transaction: String, type: NotificationType, subtype: Subtype?
    ) throws {
        let parts = try statements(body(name, more, transaction)).parts
        let reported = try #require(parts.first { $0.fact.cause.notificationType != nil }?.fact)
        #expect(reported.cause.notificationType?.value == type)
        #expect(reported.cause.subtype?.value == subtype)
        #expect(reported.unknownValues == [])
        #expect(reported.transaction?.transactionId == TransactionId("12"))
    }

    @Test("All types are covered")
    func allTypes() {
        let named = Set(ReceiptStatementsTests.types.map(\.0))
        #expect(named == Set(NotificationTypeV1.allCases.map(\.rawValue)))
    }

    /// A purchase; its id is the second in which it was bought.
    private static func purchase(
        _ id: Int, of chain: Int = 1, cancelled: Int? = nil, isUpgraded: Bool = false
    ) -> String {
        let date = cancelled.map { ",\"cancellation_date_ms\":\"\($0)\"" } ?? ""
        return """
            {"transaction_id":"\(id)","original_transaction_id":"\(chain)",
             "web_order_line_item_id":"w\(id)","product_id":"a","purchase_date_ms":"\(id)000",
             "is_upgraded":"\(isUpgraded)"\(date)}
            """
    }

    private static let ancient = purchase(1, cancelled: 1_500)
    private static let replaced = purchase(1, cancelled: 1_500, isUpgraded: true)
    private static let replacedLast = purchase(2, cancelled: 3_000, isUpgraded: true)

    /// Types sent for upgrades, too, with the purchases listed, and whether it is an upgrade.
    static let upgrades: [(String, String, [String], Bool)] = [
        // Refunded long ago, in this chain or another, and now upgraded.
        ("CANCEL", "", [ancient, replacedLast, purchase(3)], true),
        ("CANCEL", "", [purchase(1, of: 9, cancelled: 1_500), replacedLast, purchase(3)], true),
        // Upgraded long ago, and now refunded.
        ("CANCEL", "", [replaced, purchase(2), purchase(3, cancelled: 3_500)], false),
        (
            "CANCEL", ",\"web_order_line_item_id\":\"w1\"", [ancient, replacedLast, purchase(3)],
            false
        ),
        (
            "CANCEL", ",\"web_order_line_item_id\":\"w3\",\"cancellation_date_ms\":\"3500\"",
            [replaced, purchase(2), purchase(3)], false
        ),
        // The refunded purchase is not listed.
        ("CANCEL", ",\"cancellation_date_ms\":\"3500\"", [replaced, purchase(2)], false),
        ("CANCEL", "", [purchase(1), purchase(2)], true),
        ("INTERACTIVE_RENEWAL", "", [replaced, purchase(2), purchase(3)], false),
        (
            "INTERACTIVE_RENEWAL", "",
            [purchase(1), purchase(2, of: 9, cancelled: 3_000, isUpgraded: true), purchase(3)],
            false
        ),
        ("INTERACTIVE_RENEWAL", "", [purchase(1), replacedLast, purchase(3)], true),
        ("INTERACTIVE_RENEWAL", "", [replacedLast, purchase(3), purchase(3)], true),
    ]

    @Test("Only the newest purchases of the chain show an upgrade", arguments: upgrades)
    func upgrade(name: String, more: String, purchases: [String], isUpgrade: Bool) throws {
        for list in [purchases, purchases.reversed()] {
            let parts = try statements(
                """
                {"notification_type":"\(name)","original_transaction_id":"1"\(more),
                 "unified_receipt":{"latest_receipt_info":[\(list.joined(separator: ","))]}}
                """
            ).parts
            let reported = try #require(parts.first { $0.fact.cause.notificationType != nil }?.fact)
            let isRead = reported.cause.notificationType?.value == .didChangeRenewalPref
            #expect(isRead == isUpgrade)
            #expect((reported.cause.subtype?.value == .upgrade) == isUpgrade)
        }
    }

    @Test("A copy restored after the end of its period is not the newest purchase")
    func restoredAfterTheEnd() throws {
        let copy = """
            },{"transaction_id":"11","original_transaction_id":"1","product_id":"a",
             "purchase_date_ms":"1500","expires_date_ms":"2000"
            },{"transaction_id":"80","original_transaction_id":"1","product_id":"a",
             "purchase_date_ms":"2700","expires_date_ms":"2000","is_upgraded":"true"
            """
        let types: [(String, NotificationType)] = [
            ("DID_RECOVER", .didRenew), ("INTERACTIVE_RENEWAL", .subscribed),
        ]
        for (name, type) in types {
            let parts = try statements(body(name, "", copy)).parts
            let reported = try #require(parts.first { $0.fact.cause.notificationType != nil }?.fact)
            #expect(reported.transaction?.transactionId == TransactionId("12"))
            #expect(reported.cause.notificationType?.value == type)
            #expect(reported.renewal?.willRenewStated == true)
        }
    }

    private static let renewed = #","auto_renew_product_id":"a","auto_renew_status":"true""#
    private static let cancelled = #","cancellation_date_ms":"2900""#
    /// As well as a purchase of chain 9, cancelled later.
    private static let bothCancelled =
        cancelled + #"},{"transaction_id":"8","original_transaction_id":"9","product_id":"c","#
        + #""purchase_date_ms":"2400","expires_date_ms":"2450","cancellation_date_ms":"3950""#

    /// Types, what the body states outside its list, what the newest purchase of chain 1 states,
    /// and the subject. The newest purchase of all is of chain 9.
    static let subjects: [(String, String, String, String)] = [
        ("DID_RECOVER", renewed, "", "1"),
        ("DID_RECOVER", #","auto_renew_product_id":"a","auto_renew_status":"false""#, "", "9"),
        ("DID_RECOVER", #","auto_renew_status":"true""#, "", "9"),
        ("DID_RENEW", renewed, cancelled, "1"),
        ("DID_RENEW", "", cancelled, "9"),
        ("CANCEL", "", cancelled, "1"),
        ("REFUND", cancelled, cancelled, "1"),
        ("REFUND", cancelled, bothCancelled, "1"),
        ("REFUND", #","cancellation_date":"1970-01-01 00:00:02 Etc/GMT""#, bothCancelled, "1"),
        ("REFUND", "", bothCancelled, "9"),
        ("REVOKE", #","auto_renew_product_id":"c","auto_renew_status":"false""#, cancelled, "1"),
        // The purchase cancelled later is not listed.
        ("CANCEL", #","cancellation_date_ms":"3950""#, cancelled, "9"),
        ("CANCEL", renewed, "", "1"),
    ]

    @Test(
        "A body that names no chain is about that of the cancelled purchase, or of the renewal it states",
        arguments: subjects)
    func subjectOfSeveral(type: String, more: String, transaction: String, chain: String) throws {
        let found = try subject(unnamed(body(type, more, transaction)))
        #expect(found == chain)
    }

    @Test("A renewal that two chains state names neither")
    func subjectOfEqual() throws {
        let text = unnamed(body("DID_RECOVER", ReceiptStatementsTests.renewed))
            .replacing("\"c\"", with: "\"a\"").replacing("\"0\"", with: "\"1\"")
        let found = try subject(text)
        #expect(found == "9")
    }

    /// The body without its own `original_transaction_id`.
    private func unnamed(_ body: String) -> String {
        body.replacing(",\n \"original_transaction_id\":\"1\"", with: "", maxReplacements: 1)
    }

    /// The chain that a body is about.
    private func subject(_ text: String) throws -> String? {
        let parts = try statements(text).parts
        return parts.first { $0.fact.cause.notificationType != nil }?.originalTransactionId.rawValue
    }

    @Test("Auto-renew off and a grace period are taken from the renewal")
    func subtypes() throws {
        let off = try statements(
            body("DID_CHANGE_RENEWAL_STATUS").replacing(
                "\"auto_renew_status\":\"1\"", with: "\"auto_renew_status\":\"0\""))
        #expect(off.parts[1].fact.cause.subtype?.value == .autoRenewDisabled)
        let grace = try statements(
            body("DID_FAIL_TO_RENEW").replacing(
                "\"auto_renew_status\":\"1\"",
                with: "\"auto_renew_status\":\"1\",\"grace_period_expires_date_ms\":\"4000\""))
        #expect(grace.parts[1].fact.cause.subtype?.value == .gracePeriod)
    }

    @Test(
        "An unknown type changes nothing and is reported, also one that only version 2 has",
        arguments: [("LATER", "LATER"), ("EXPIRED", nil), ("REFUND_REVERSED", nil)]
            as [(String, String?)])
    func unknown(type: String, stated: String?) throws {
        let reported = try statements(body(type)).parts[1].fact
        #expect(reported.cause.notificationType?.rawValue == stated)
        #expect(reported.unknownValues == ["notificationType"])
    }

    @Test("Unknown values of all purchases and of the renewal are named once for each chain")
    func unknownValues() throws {
        let ownership = #","in_app_ownership_type":"LOANED""#
        let cancelled = #","cancellation_date_ms":"2900","cancellation_reason":"7""#
        let text = body("DID_RENEW", "", ownership + cancelled)
            .replacing(#""expires_date_ms":"2000""#, with: #""expires_date_ms":"2000""# + ownership)
            .replacing(
                #""auto_renew_status":"1""#,
                with: #""auto_renew_status":"4","expiration_intent":"9","price_consent_status":"8""#
            )
        let parts = try statements(text).parts
        let ofChain = [
            "transaction.inAppOwnershipType", "transaction.revocationReason",
            "renewal.autoRenewStatus", "renewal.expirationIntent", "renewal.priceIncreaseStatus",
        ]
        #expect(parts.map(\.fact.unknownValues) == [[], ofChain, []])
    }

    @Test("Before 2020 cancellations were beside the transaction")
    func oldCancellation() throws {
        let parts = try statements(
            """
            {"notification_type":"CANCEL","web_order_line_item_id":"77",
             "cancellation_date_ms":"1500","auto_renew_status":"false",
             "latest_receipt_info":{"transaction_id":"1","original_transaction_id":"1",
             "web_order_line_item_id":"77","product_id":"a","purchase_date_ms":"1000",
             "expires_date_ms":"2000"}}
            """
        ).parts
        #expect(parts.count == 1)
        #expect(parts[0].fact.transaction?.revocationDate == Timestamp(milliseconds: 1500))
        #expect(parts[0].fact.renewal?.autoRenewStatus?.value == .off)
        #expect(parts[0].fact.cause.notificationType?.value == .refund)
    }

    @Test("Of one transaction more than 10,000 all but one are stated")
    func bound() throws {
        let list = (0...ReceiptStatements.maximumTransactions).map {
            "{\"transaction_id\":\"\($0)\",\"original_transaction_id\":\"1\",\"purchase_date_ms\":\"\($0 + 1)\"}"
        }.joined(separator: ",")
        let parts = try statements(
            "{\"notification_type\":\"DID_RENEW\",\"unified_receipt\":{\"latest_receipt_info\":[\(list)]}}"
        ).parts
        #expect(parts.count == ReceiptStatements.maximumTransactions)
    }

    @Test("Without a date the facts are flawed as undated")
    func undated() throws {
        let parts = ReceiptStatements(
            try VerifyReceiptResponse(
                Array(
                    "{\"status\":0,\"receipt\":{\"in_app\":[{\"transaction_id\":\"1\"}]}}".utf8)),
            origin: ReceiptStatementsTests.origin(), statedAt: nil,
            digest: ReceiptStatementsTests.digest
        ).parts
        #expect(parts.map(\.fact.flaw) == [.undated])
    }
}

extension RenewalSnapshot {
    fileprivate var willRenewStated: Bool? { autoRenewStatus.map { $0.value == .on } }
}
