import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §2, "Attributes at t".
@Suite("Attributes at a moment")
struct AttributeTests {
    private let bought = Fact.subscribed("1", day(0), day(30))

    @Test("From the best snapshot: product, transaction, price, storefront, group, kind")
    func fromSnapshot() throws {
        let fact = bought.transaction {
            $0.price = 9990
            $0.currency = "USD"
            $0.storefront = "USA"
            $0.subscriptionGroupIdentifier = SubscriptionGroupIdentifier("21")
        }
        let answer = try #require(given(fact).answer(day(1)))
        #expect(answer.productId == ProductId("pro.monthly"))
        #expect(answer.transactionId == TransactionId("1"))
        #expect(answer.price == Money(milliunits: 9990, currency: "USD"))
        #expect(answer.storefront == "USA")
        #expect(answer.subscriptionGroupIdentifier == SubscriptionGroupIdentifier("21"))
        #expect(answer.type?.value == .autoRenewableSubscription)
    }

    @Test("Money needs both amount and currency")
    func money() {
        #expect(given(bought.transaction { $0.price = 1 }).answer(day(1))?.price == nil)
        #expect(given(bought.transaction { $0.currency = "USD" }).answer(day(1))?.price == nil)
    }

    @Test(
        "Ownership: purchased, familyShared, assigned, an unknown value unchanged",
        arguments: [
            (nil, "purchased"), ("PURCHASED", "purchased"), ("FAMILY_SHARED", "familyShared"),
            ("ASSIGNED", "assigned"), ("LOANED", "LOANED"),
        ] as [(String?, String)])
    func ownership(_ raw: String?, _ expected: String) {
        let fact = bought.transaction { $0.inAppOwnershipType = raw.map { Raw(rawValue: $0) } }
        #expect(given(fact).answer(day(1))?.ownership.rawValue == expected)
    }

    @Test("The newest renewal info signed by the moment applies; the bound is inclusive")
    func newestByThen() {
        let life = given(bought, .autoRenew(true, at: day(5)), .autoRenew(false, at: day(10)))
        #expect(life.answer(day(5, -1))?.willRenew == nil)
        #expect(life.answer(day(5))?.willRenew == true)
        #expect(life.answer(day(10, -1))?.willRenew == true)
        #expect(life.answer(day(10))?.willRenew == false)
    }

    @Test("In the future the newest of all applies; about the past it does not matter when")
    func future() {
        let life = given(bought, .autoRenew(true, at: day(5)), .autoRenew(false, at: day(10)))
        #expect(life.answer(at: day(7), now: day(7))?.willRenew == true)
        #expect(life.answer(at: day(7), now: day(7, -1))?.willRenew == false)
        #expect(life.answer(at: day(7), now: day(7)) == life.answer(at: day(7), now: day(4_000)))
    }

    @Test("A period first stated after the moment, before its end, brings its own renewal info")
    func statedLater() {
        let stated = bought.with { $0.signedDate = day(10) }
        func answer(_ fact: Fact) -> ChainAnswer? {
            given(fact, .autoRenew(false, at: day(11))).answer(at: day(5), now: day(50))
        }
        #expect(answer(stated.renewal { $0.autoRenewStatus = Raw(.on) })?.willRenew == true)
        #expect(answer(stated)?.willRenew == nil)
        #expect(answer(stated)?.state == .subscribed)
    }

    @Test("A period first stated at or after its end uses what was signed by the moment")
    func statedAfterEnd() {
        func willRenew(_ signedDate: Timestamp) -> Bool? {
            let fact = bought.with { $0.signedDate = signedDate }
                .renewal { $0.autoRenewStatus = Raw(.on) }
            return given(.autoRenew(false, at: day(1)), fact)
                .answer(at: day(5), now: day(50))?.willRenew
        }
        #expect(willRenew(day(30, -1)) == true)
        #expect(willRenew(day(30)) == false)
    }

    @Test("The next product is stated only if it differs and there will be a renewal")
    func nextProduct() {
        func next(_ product: String, _ status: AutoRenewStatus) -> String? {
            given(
                bought,
                .renewalInfo(at: day(5)) {
                    $0.autoRenewProductId = ProductId(product)
                    $0.autoRenewStatus = Raw(status)
                }
            ).answer(day(6))?.nextProductId?.rawValue
        }
        #expect(next("pro.yearly", .on) == "pro.yearly")
        #expect(next("pro.yearly", .off) == nil)
        #expect(next("pro.monthly", .on) == nil)
    }

    @Test(
        "Price increase: 0 pending, 1 accepted, unknown or absent nothing",
        arguments: [(0, .pending), (1, .accepted), (7, nil), (nil, nil)]
            as [(Int64?, ChainAnswer.PriceIncrease?)])
    func priceIncrease(_ raw: Int64?, _ expected: ChainAnswer.PriceIncrease?) {
        let info = Fact.renewalInfo(at: day(5)) {
            $0.priceIncreaseStatus = raw.map { Raw(rawValue: $0) }
        }
        #expect(given(bought, info).answer(day(6))?.priceIncrease == expected)
    }

    @Test("A commitment has the values of the transaction and the renewal info")
    func commitment() throws {
        let committed = bought.transaction {
            $0.currency = "EUR"
            $0.commitment = .init(
                billingPeriodNumber: 3, totalBillingPeriods: 12, commitmentExpiresDate: day(360),
                commitmentPrice: 119_880)
        }
        let plain = try #require(given(committed).answer(day(1))?.commitment)
        #expect(plain.billingPeriodNumber == 3 && plain.totalBillingPeriods == 12)
        #expect(plain.expiresDate == day(360))
        #expect(plain.price == Money(milliunits: 119_880, currency: "EUR"))
        #expect(plain.willRenew == nil && plain.nextProductId == nil)
        let info = Fact.renewalInfo(at: day(2)) {
            $0.autoRenewStatus = Raw(.on)
            $0.commitment = .init(
                autoRenewProductId: ProductId("pro.yearly"), autoRenewStatus: Raw(.off))
        }
        let answer = try #require(given(committed, info).answer(day(3)))
        #expect(answer.willRenew == true)
        #expect(answer.commitment?.willRenew == false)
        #expect(answer.commitment?.nextProductId == ProductId("pro.yearly"))
    }

    @Test("In the last billing period of a commitment its status is that of auto-renew")
    func lastBillingPeriod() {
        func billed(_ number: Int64, _ commitment: AutoRenewStatus, at from: Timestamp) -> Fact {
            let end = from.advanced(byMilliseconds: 30 * 86_400_000)
            return .subscribed("\(number)", from, end)
                .transaction {
                    $0.commitment = .init(billingPeriodNumber: number, totalBillingPeriods: 12)
                    $0.transactionReason = Raw(.renewal)
                }
                .renewal {
                    $0.autoRenewStatus = Raw(.on)
                    $0.renewalDate = end
                    $0.commitment = .init(autoRenewStatus: Raw(commitment))
                }
        }
        func about(_ number: Int64, _ from: Timestamp, at signedDate: Timestamp) -> Fact {
            billed(number, .off, at: from).renewal { $0.renewalDate = day(60) }.with {
                $0.cause.notificationType = Raw(.refundDeclined)
                $0.cause.subtype = nil
                $0.signedDate = signedDate
            }
        }
        let decided = Fact.autoRenew(true, at: day(5)).renewal {
            $0.commitment = .init(autoRenewStatus: Raw(.off))
        }.with {
            $0.cause.notificationType = Raw(.didChangeRenewalStatus)
            $0.cause.subtype = Raw(.autoRenewDisabled)
        }
        // A statement about an older purchase is about the running period.
        let restated = given(
            billed(11, .on, at: day(0)), decided, billed(12, .off, at: day(30)),
            about(11, day(0), at: day(45)))
        #expect(restated.answer(day(50))?.willRenew == false)
        #expect(restated.timelineEvents(.autoRenewEnabled).isEmpty)
        // An extension states the new end in its renewal info before its transaction does.
        let extending = about(12, day(30), at: day(45)).renewal { $0.renewalDate = day(70) }.with {
            $0.cause.notificationType = Raw(.renewalExtended)
        }
        let extended = given(
            billed(11, .on, at: day(0)), decided, billed(12, .off, at: day(30)), extending)
        #expect(extended.answer(day(65))?.willRenew == false)
        #expect(extended.timelineEvents(.autoRenewEnabled).isEmpty)
        #expect(extended.notices(.renewalOverdue).isEmpty)
        #expect(extended.answer(day(75))?.endReason == .voluntary)
        let expired = given(
            billed(11, .on, at: day(0)), decided, billed(12, .off, at: day(30)),
            .expired(at: day(60)))
        #expect(expired.notices(.unexplainedExpiry).isEmpty)
        #expect(expired.timelineEvents(.autoRenewDisabled).count == 1)
        let going = given(billed(11, .on, at: day(0)), billed(12, .on, at: day(30)))
        #expect(going.answer(day(40))?.willRenew == true)
        #expect(going.notices(.renewalOverdue).count == 1)
        // Continued without a notification, then ended as another plan.
        let on = Fact.renewalInfo(at: day(8)) {
            $0.autoRenewStatus = Raw(.on)
            $0.commitment = .init(autoRenewStatus: Raw(.on))
        }
        let again = given(billed(11, .on, at: day(0)), decided, on, .autoRenew(false, at: day(10)))
        #expect(again.timelineEvents(.autoRenewDisabled).map(\.at) == [day(5), day(10)])
    }

    @Test("Each value of a revocation is that of its newest statement that has it")
    func restatedRevocation() throws {
        func refunded(
            _ signed: Timestamp, _ change: (inout TransactionSnapshot) -> Void
        ) -> Fact {
            Fact.transaction("1", day(0), day(30), at: signed).transaction { snapshot in
                snapshot.revocationDate = day(9)
                change(&snapshot)
            }
        }
        let life = given(
            bought, refunded(day(10)) { $0.revocationReason = Raw(.refundedDueToIssue) },
            refunded(day(11)) { $0.revocationPercentage = 100_000 },
            refunded(day(12)) {
                $0.revocationType = Raw(.refundProrated)
                $0.revocationPercentage = 50_000
            })
        let revocation = try #require(life.answer(day(9))?.revocation)
        #expect(revocation.date == day(9) && revocation.reason == 1)
        #expect(revocation.type == "REFUND_PRORATED" && revocation.percentage == 50_000)
    }

    @Test("The evidence lists the deciding events: period, end, state, renewal info")
    func evidence() {
        let life = given(
            bought, .autoRenew(true, at: day(5)), .transaction("1", day(0), day(31), at: day(6)),
            .notification(.refundDeclined, at: day(7)))
        #expect(life.answer(day(8))?.evidence == [1, 2, 3])
        #expect(life.answer(day(4))?.evidence == [1, 3])
    }
}
