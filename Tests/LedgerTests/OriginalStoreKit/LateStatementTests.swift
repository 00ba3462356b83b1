import AppStore
import Ledger
import Testing

/// A chain stated late, as by a backfill or a migration: every period is first stated years after
/// it began, and a failed payment precedes all of those dates. It concerns only one period's end
/// (`Lifecycle.md` §2 rule 5, "anchor kept"; §7).
@Suite("A failed payment in a chain stated late")
struct LateStatementTests {
    static let lower: [Trust] = [.secret, .transport]

    private func month(_ number: Int64, at signedDate: Timestamp = day(300)) -> Fact {
        .transaction(
            "\(number)", day(number * 30 - 30), day(number * 30), at: signedDate
        ).transaction { $0.transactionReason = Raw(number == 1 ? .purchase : .renewal) }
    }

    /// Four consecutive months, stated together; the first was refunded.
    private var months: [Fact] {
        [month(1).revoked(day(9)), month(2), month(3), month(4)]
    }

    /// The payment for the fourth month failed.
    private func failed(
        _ trust: Trust, naming number: Int64? = 3, at signedDate: Timestamp = day(90),
        grace: Timestamp = day(106)
    ) -> Fact {
        var fact = Fact.didFailToRenew(at: signedDate, grace: grace).trusted(trust)
        if trust == .secret { fact.cause.kind = .notificationV1 }
        if let number { fact.transaction = month(number).transaction }
        return fact
    }

    /// The refunded month, and renewals from then on.
    private let paid = [
        Start(.subscribed, day(0)), Start(.revoked, day(9)), Start(.renewing, day(30)),
        Start(.renewing, day(60)), Start(.renewing, day(90)), Start(.expired, day(120)),
    ]

    private let graceAtItsEnd = [
        Start(.subscribed, day(0)), Start(.revoked, day(9)), Start(.renewing, day(30)),
        Start(.renewing, day(60)), Start(.grace, day(90)), Start(.renewing, day(106)),
        Start(.expired, day(120)),
    ]

    @Test("At a lower rank, it delays no signed month", arguments: lower)
    func lowerRank(_ trust: Trust) {
        for number in [nil, 1, 2, 3] as [Int64?] {
            let life = given(months + [failed(trust, naming: number)])
            #expect(life.history == paid, "naming \(number ?? 0)")
            #expect(life.notices(.contradiction).isEmpty)
            #expect(life.state(day(45)) == .renewing)
        }
    }

    @Test("Signed, it is grace at the end of the month it names")
    func signed() {
        expectHistory(given(months + [failed(.signed)]), graceAtItsEnd)
        expectHistory(given(months + [failed(.signed, naming: nil)]), graceAtItsEnd)
    }

    @Test("The same if only one lower rank is known", arguments: lower)
    func oneRank(_ trust: Trust) {
        let life = given(months.map { $0.trusted(trust) } + [failed(trust)])
        expectHistory(life, graceAtItsEnd)
    }

    @Test("A month stated only by a lower rank begins after that rank's grace")
    func nextOfLowerRank() {
        var facts = months
        facts[3] = facts[3].trusted(.secret)
        expectHistory(given(facts + [failed(.secret)]), graceAtItsEnd)
        facts[3] = facts[3].trusted(.transport)
        expectHistory(given(facts + [failed(.secret)]), paid)
    }

    @Test("A failure without a purchase is assigned by its date")
    func unnamed() {
        func starts(_ signedDate: Timestamp) -> [Timestamp] {
            given(
                [month(1), month(2), month(3), month(4)]
                    + [failed(.signed, naming: nil, at: signedDate)]
            ).intervals.filter { $0.state == .grace }.map(\.from)
        }
        #expect(starts(day(59, -1)) == [day(30)])
        #expect(starts(day(59)) == [day(60)])
        #expect(starts(day(89, -1)) == [day(60)])
        #expect(starts(day(89)) == [day(90)])
        // Only the last, which nothing follows, is a matter of retry.
        #expect(starts(day(119, -1)) == [day(90)])
        #expect(starts(day(119)) == [])
    }

    @Test("A failure that names a purchase is about it until the next period is over")
    func named() {
        func starts(_ signedDate: Timestamp) -> [Timestamp] {
            given(
                [month(1), month(2), month(3), month(4)]
                    + [failed(.signed, naming: 2, at: signedDate)]
            ).intervals.filter { $0.state == .grace }.map(\.from)
        }
        #expect(starts(day(59, -1)) == [])
        #expect(starts(day(59)) == [day(60)])
        #expect(starts(day(90, -1)) == [day(60)])
        #expect(starts(day(90)) == [])
    }

    @Test("A failure that names the previous purchase is not about this one")
    func namesTheOneBefore() {
        let life = given(
            [month(1), month(2), month(3), month(4)]
                + [failed(.signed, naming: 1, at: day(60, 1))])
        #expect(life.intervals.allSatisfy { $0.state != .grace })
    }

    @Test("A refund may name any purchase; its renewal info is about the newest")
    func refundInGrace() {
        let refund = Fact.notification(.refund, "1", day(0), day(30), at: day(95))
            .revoked(day(9)).renewal {
                $0.autoRenewStatus = Raw(.on)
                $0.gracePeriodExpiresDate = day(106)
            }
        expectHistory(given(months + [refund]), graceAtItsEnd)
    }

    @Test("After the next period was replaced, a failure is about the replacement")
    func replaced() {
        let year = Fact.transaction("2", day(30), day(395), at: day(500))
            .transaction { $0.isUpgraded = true }
        let upgrade = Fact.transaction("3", day(40), day(70), at: day(500))
        func states(_ signedDate: Timestamp) -> [ChainState] {
            given(
                month(1), year, upgrade, failed(.signed, naming: nil, at: signedDate)
            ).history.map(\.state)
        }
        #expect(states(day(40, -1)).contains(.grace))
        #expect(states(day(40)) == [.subscribed, .renewing, .renewing, .expired])
    }

    @Test("A restored copy is the same purchase, whichever is named")
    func restored() {
        func copy(_ id: String, _ from: Timestamp) -> Fact {
            .transaction(id, from, day(90), at: day(300)).transaction {
                $0.webOrderLineItemId = WebOrderLineItemId("w")
                $0.transactionReason = Raw(.renewal)
            }
        }
        let copies = [copy("3", day(60)), copy("9", day(70))]
        for named in copies {
            let failure = failed(.signed, naming: nil).with { $0.transaction = named.transaction }
            let life = given([months[0], months[1]] + copies + [months[3], failure])
            expectHistory(life, graceAtItsEnd)
        }
    }

    @Test("A failure with retry and a new anchor is the same stated live or late")
    func liveAndLate() {
        let failure = failed(.signed, at: day(90), grace: day(93))
        let recovered = Fact.didRenew("4", day(98), day(128), .billingRecovery)
        let live = [month(1), month(2), month(3)].enumerated().map { index, fact in
            fact.with { $0.signedDate = day(Int64(index) * 30) }
        }
        let late = [month(1), month(2), month(3)]
        let reported = given(live + [failure, recovered]).history
        expectHistory(given(late + [failure, recovered]), reported)
        #expect(
            reported.suffix(4) == [
                Start(.grace, day(90)), Start(.billingRetry, day(93)), Start(.renewing, day(98)),
                Start(.expired, day(128)),
            ])
    }

    @Test("Grace stated by version 1 gives way to the signed month; access stays")
    func knownBefore() {
        // Version 1 stated all of it at the time, with the anchor kept; Apple's API later.
        let reported = [
            month(3, at: day(60)).trusted(.secret), failed(.secret),
            month(4, at: day(95)).trusted(.secret),
        ]
        expectHistory(
            given(reported),
            [
                Start(.renewing, day(60)), Start(.grace, day(90)), Start(.renewing, day(95)),
                Start(.expired, day(120)),
            ])
        // The signed month began at the end of the previous one: access is unchanged.
        let since = given(reported + months)
        expectHistory(since, paid)
        #expect(since.state(day(92))?.isEntitled == true)
    }
}
