import AppStore
import Ledger
import Testing

/// A short life of at most seven facts, so that all orders can be tested.
struct Story: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let facts: [Fact]
    var environment = Environment.production

    init(_ name: String, _ facts: [Fact], environment: Environment = .production) {
        testDescription = name
        self.facts = numbered(facts)
        self.environment = environment
    }

    private static let bought = Fact.subscribed("1", day(0), day(30))
    private static let refund = Fact.notification(.refund, "1", day(0), day(30), at: day(10))
        .revoked(day(9))

    private static func copied(
        _ id: String, _ from: Timestamp, _ to: Timestamp
    ) -> TransactionSnapshot {
        var copy = TransactionSnapshot.period(id, from, to)
        copy.webOrderLineItemId = WebOrderLineItemId("w")
        return copy
    }

    /// A copy of another product, by a lower rank: revoked, given back, and revoked again.
    private static func invented(
        _ id: String, _ from: Timestamp, revoked: Timestamp
    ) -> [Fact] {
        let statements: [(Timestamp, Timestamp?)] = [
            (revoked, revoked), (day(3), nil), (day(36), day(35)),
        ]
        return statements.map { time, revocation in
            var fact = Fact.reported(.notificationV1, at: time).trusted(.secret)
            fact.transaction = copied(id, from, day(40))
            fact.transaction?.productId = ProductId("other")
            fact.transaction?.revocationDate = revocation
            return fact
        }
    }

    static let all: [Story] = [
        Story(
            "renewals and an end",
            [
                bought, .didRenew("2", day(30), day(60)), .didRenew("3", day(60), day(90)),
                .autoRenew(false, at: day(70)), .expired(at: day(90)),
            ]),
        Story(
            "grace, retry, late recovery",
            [
                bought, .didFailToRenew(at: day(30), grace: day(36)),
                .notification(.gracePeriodExpired, at: day(36)),
                .status(.billingRetry, at: day(40)),
                .didRenew("2", day(50), day(80), .billingRecovery), .autoRenew(true, at: day(51)),
            ]),
        Story(
            "grace without a date, over and withdrawn",
            [
                bought, .notification(.didFailToRenew, .gracePeriod, at: day(30)),
                .status(.billingGracePeriod, at: day(31)), .status(.expired, at: day(32)),
                .status(.billingRetry, at: day(32)), .expired(.billingRetry, at: day(95)),
            ]),
        Story(
            "the anchor kept",
            [
                bought, .didFailToRenew(at: day(30), grace: day(36)),
                .didRenew("2", day(30), day(60), at: day(33), .billingRecovery),
                .transaction("2", day(30), day(60), at: day(35)),
                .resubscribed("3", day(31), day(61)),
            ]),
        Story(
            "refund and status change in one millisecond",
            [
                bought, .didRenew("2", day(30), day(60)), refund.with { $0.signedDate = day(40) },
                .autoRenew(false, at: day(40)), .status(.active, at: day(40)),
                .transaction("1", day(0), day(30), at: day(40)),
            ]),
        Story(
            "refunded, reversed, refunded again, bought again",
            [
                bought, refund, .notification(.refundReversed, "1", day(0), day(30), at: day(12)),
                .transaction("1", day(0), day(30), at: day(15)).revoked(day(14)),
                .resubscribed("2", day(20), day(50)), .expired(at: day(50)),
            ]),
        Story(
            "restores of one line item and a contradiction",
            [
                bought.transaction { $0.webOrderLineItemId = WebOrderLineItemId("w") },
                .transaction("2", day(5), day(31), at: day(5)).transaction {
                    $0.webOrderLineItemId = WebOrderLineItemId("w")
                },
                .transaction("2", day(5), day(32), at: day(5)).transaction {
                    $0.webOrderLineItemId = WebOrderLineItemId("w")
                },
                .transaction("3", day(29), day(40), at: day(29)).transaction {
                    $0.webOrderLineItemId = WebOrderLineItemId("w")
                },
            ]),
        Story(
            "copies of two purchases in a receipt",
            [
                bought.with { $0.transaction = copied("1", day(0, 254), day(30, 254)) },
                .transaction("2", day(0), day(30), at: day(12)).with {
                    $0.cause.kind = .receipt
                    $0.transaction = copied("2", day(0), day(30))
                    $0.transaction?.revocationDate = day(9)
                },
                refund.with {
                    $0.transaction = copied("1", day(0, 254), day(30, 254))
                    $0.transaction?.revocationDate = day(9, 456)
                },
                .notification(.refundReversed, at: day(20)).with {
                    $0.transaction = copied("1", day(0, 254), day(30, 254))
                },
                .didFailToRenew(at: day(30, 254), grace: day(36)),
                .didRenew("3", day(30, 254), day(60), at: day(33), .billingRecovery).transaction {
                    $0.webOrderLineItemId = WebOrderLineItemId("v")
                },
                .transaction("4", day(30), day(60), at: day(33)).with {
                    $0.cause.kind = .receipt
                    $0.transaction?.webOrderLineItemId = WebOrderLineItemId("v")
                },
            ]),
        Story(
            "copies restored after the end of their periods",
            [
                bought.with { $0.transaction = copied("1", day(0), day(30)) },
                .didFailToRenew(at: day(30), grace: day(46)),
                .transaction("2", day(33), day(30), at: day(33)).with {
                    $0.transaction = copied("2", day(33), day(30))
                },
                .didRenew("3", day(30), day(60), at: day(35), .billingRecovery),
                .transaction("4", day(40), day(10), at: day(40)).transaction {
                    $0.webOrderLineItemId = WebOrderLineItemId("u")
                },
                .autoRenew(false, at: day(50)),
            ]),
        Story(
            "a refund of two copies, reversed, and another purchase of the line item",
            [
                bought.with { $0.transaction = copied("1", day(0), day(30)) },
                refund.with {
                    $0.transaction = copied("1", day(0), day(30))
                    $0.transaction?.revocationDate = day(9)
                },
                .transaction("2", day(5), day(30), at: day(11)).with {
                    $0.transaction = copied("2", day(5), day(30))
                    $0.transaction?.revocationDate = day(9)
                },
                .resubscribed("3", day(12), day(30)).with {
                    $0.transaction = copied("3", day(12), day(30))
                },
                .notification(.refundReversed, at: day(14)).with {
                    $0.transaction = copied("1", day(0), day(30))
                },
                .transaction("4", day(40), day(30), at: day(40)).with {
                    $0.transaction = copied("4", day(40), day(30))
                },
            ]),
        Story(
            "a copy that was revoked before its date, and a purchase after that",
            [
                bought.with { $0.transaction = copied("1", day(0), day(30)) },
                refund.with {
                    $0.transaction = copied("1", day(0), day(30))
                    $0.transaction?.revocationDate = day(9)
                },
                .resubscribed("2", day(12), day(30)).with {
                    $0.transaction = copied("2", day(12), day(30))
                },
                .transaction("3", day(15), day(30), at: day(25)).with {
                    $0.transaction = copied("3", day(15), day(30))
                    $0.transaction?.revocationDate = day(9)
                },
            ]),
        Story(
            "a late copy of a purchase that a lower rank dates, and a period that ends early",
            [
                .transaction("1", day(0), day(30), at: day(1)).with {
                    $0.transaction = copied("1", day(0), day(30))
                    $0.trust = .transport
                },
                .didRenew("2", day(30), day(60)).trusted(.transport),
                .transaction("3", day(40), day(30), at: day(40)).with {
                    $0.transaction = copied("3", day(40), day(30))
                },
                .transaction("4", day(45), day(10), at: day(45)),
                .didRenew("4", day(45), day(10)).trusted(.secret),
                .didRenew("5", day(60), day(50)), .autoRenew(false, at: day(65)),
            ]),
        Story(
            "rejected purchases that had hidden others",
            [
                bought, .transaction("1", day(0), day(30), at: day(25)),
                .transaction("2", day(10), day(20), at: day(10)).with {
                    $0.transaction = copied("2", day(10), day(20))
                    $0.trust = .transport
                },
                .didRenew("3", day(11), day(12)).with {
                    $0.transaction = copied("3", day(11), day(12))
                    $0.trust = .secret
                },
                .transaction("4", day(15), day(14), at: day(15)).trusted(.transport).transaction {
                    $0.webOrderLineItemId = WebOrderLineItemId("v")
                },
                .didRenew("5", day(13), day(14)).trusted(.secret).transaction {
                    $0.webOrderLineItemId = WebOrderLineItemId("v")
                },
            ]),
        Story(
            "invented copies that are revoked in one second",
            [bought]
                + [("8", 0), ("9", 400)].flatMap { id, start in
                    invented(id, day(2, start), revoked: day(2, start + 200))
                }),
        Story(
            "a refund of a late copy of a purchase that a lower rank dates",
            [
                .transaction("1", day(0), day(30), at: day(10)).with {
                    $0.transaction = copied("1", day(0), day(30))
                    $0.transaction?.revocationDate = day(9)
                    $0.trust = .transport
                },
                .transaction("2", day(12), day(30), at: day(12)).with {
                    $0.transaction = copied("2", day(12), day(30))
                    $0.trust = .transport
                },
                .didFailToRenew(at: day(30), grace: day(46)),
                .transaction("8", day(33), day(30), at: day(33)).with {
                    $0.transaction = copied("8", day(33), day(30))
                },
                .notification(.refund, "8", day(33), day(30), at: day(35)).with {
                    $0.transaction = copied("8", day(33), day(30))
                    $0.transaction?.revocationDate = day(35)
                },
            ]),
        Story(
            "a copy restored in grace that the failure names, and a refund that a copy denies",
            [
                bought.with { $0.transaction = copied("1", day(0), day(30)) },
                .didFailToRenew(at: day(34), grace: day(46)).with {
                    $0.transaction = copied("8", day(33), day(30))
                },
                .transaction("2", day(30), day(60), at: day(41)).trusted(.transport).revoked(
                    day(40)
                )
                .transaction { $0.webOrderLineItemId = WebOrderLineItemId("v") },
                .transaction("9", day(70), day(60), at: day(70)).transaction {
                    $0.webOrderLineItemId = WebOrderLineItemId("v")
                },
            ]),
        Story(
            "upgrade of a longer period",
            [
                .subscribed("1", day(0), day(365)),
                .transaction("1", day(0), day(365), at: day(100)).revoked(day(100)).transaction {
                    $0.isUpgraded = true
                },
                .notification(.didChangeRenewalPref, "2", day(100), day(130), subtype: .upgrade)
                    .transaction { $0.productId = ProductId("other") },
                .autoRenew(false, at: day(120)), .expired(at: day(130)),
            ]),
        Story(
            "trust of every rank",
            [
                bought.trusted(.secret), .transaction("1", day(0), day(31), at: day(3)),
                .didFailToRenew(at: day(31)).trusted(.secret),
                .status(.billingGracePeriod, at: day(31)).trusted(.transport),
                .transaction("2", day(40), day(70), at: day(40)).trusted(.transport),
                .expired(at: day(70)).trusted(.operator),
            ]),
        Story(
            "a failed payment in a chain stated late",
            [
                .transaction("1", day(0), day(30), at: day(300)).revoked(day(9)),
                .transaction("2", day(30), day(60), at: day(300)),
                .transaction("3", day(60), day(90), at: day(300)),
                .didFailToRenew(at: day(60), grace: day(70)),
                .didFailToRenew(at: day(61), grace: day(76)).trusted(.secret)
                    .with { $0.transaction = .period("2", day(30), day(60)) },
                .notification(.refund, "1", day(0), day(30), at: day(62)).revoked(day(9))
                    .renewal {
                        $0.autoRenewStatus = Raw(.on)
                        $0.gracePeriodExpiresDate = day(71)
                    },
            ]),
        Story(
            "adopted mid-life, in the sandbox",
            [
                .didRenew("5", day(0), day(0, 5 * minute), at: day(0, -minute)),
                .didRenew("6", day(0, 6 * minute), day(0, 11 * minute)),
                .didRenew("7", day(0, 20 * minute), day(0, 25 * minute)),
                .notification(.renewalExtended, "7", day(0, 20 * minute), day(0, 25 * minute))
                    .renewal { $0.renewalDate = day(0, 30 * minute) },
                .reported(.notification, at: nil),
                .renewalInfo(at: day(0, 26 * minute)) {
                    $0.isInBillingRetryPeriod = true
                },
            ], environment: .sandbox),
        Story(
            "one purchase for ever",
            ([
                .transaction("1", day(0), day(0), at: day(0)),
                .transaction("2", day(5), day(5), at: day(5)),
                .transaction("1", day(0), day(0), at: day(8)).revoked(day(7)),
                .transaction("2", day(5), day(5), at: day(8)),
            ] as [Fact]).map { fact in fact.transaction { $0.type = Raw(.nonConsumable) } }),
        Story(
            "seven facts at one moment",
            [
                bought, bought.transaction { $0.expiresDate = day(31) },
                bought.transaction {
                    $0.price = 1
                    $0.currency = "USD"
                }, .autoRenew(true, at: day(0)),
                .autoRenew(false, at: day(0)), .status(.expired, at: day(0)),
                .notification(.refund, "1", day(0), day(30), at: day(0)).revoked(day(0)),
            ]),
    ]
}
