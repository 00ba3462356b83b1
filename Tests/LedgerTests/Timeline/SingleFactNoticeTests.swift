import AppStore
import Ledger
import Testing

/// `Lifecycle.md` §4: inconsistencies of one fact, or of two.
@Suite("§4: notices about facts")
struct SingleFactNoticeTests {
    private let bought = Fact.subscribed("1", day(0), day(30))

    @Test("lateDelivery: more than ten minutes between signature and arrival of a notification")
    func late() {
        func codes(_ delay: Int64, _ fact: Fact) -> [NoticeCode] {
            given(fact.with { $0.receivedAt = day(0, delay) }).notices.map(\.code)
        }
        #expect(NoticeLimits.lateDeliveryMilliseconds == 10 * minute)
        #expect(codes(10 * minute, bought) == [])
        #expect(codes(10 * minute + 1, bought) == [.lateDelivery])
        #expect(codes(-dayLength, bought) == [])
        // Fetched transactions were not delivered.
        #expect(codes(dayLength, .transaction("1", day(0), day(30), at: day(0))) == [])
        // An import without a time has no time of arrival.
        #expect(codes(dayLength, bought.with { $0.isArrivalKnown = false }) == [])
    }

    @Test(
        "Lateness is given in a suitable unit",
        arguments: [
            (10 * minute + 1, "10 minutes"), (2 * hour - 1, "119 minutes"), (2 * hour, "2 hours"),
            (2 * dayLength - 1, "47 hours"), (2 * dayLength, "2 days"),
            (1_000 * dayLength - 1, "999 days"),
        ] as [(Int64, String)])
    func howLate(delay: Int64, words: String) {
        let life = given(bought.with { $0.receivedAt = day(0, delay) })
        #expect(
            life.notices(.lateDelivery).map(\.message)
                == ["The notification arrived \(words) after it was signed."])
    }

    @Test("Many late deliveries are one notice in an answer, with all the evidence")
    func manyLate() {
        let late = [
            bought, .notification(.refundDeclined, at: day(1)),
            .notification(.consumptionRequest, at: day(2)),
        ].map { fact in fact.with { $0.receivedAt = day(9) } }
        let life = given(late)
        #expect(life.notices(.lateDelivery).count == 3)
        let notices = life.answer(day(10))?.notices
        #expect(notices?.map(\.code) == [.lateDelivery])
        #expect(notices?.map(\.evidence) == [[1, 2, 3]])
    }

    @Test("contradiction: Apple's status matches no state within a minute of it")
    func status() {
        func codes(_ status: SubscriptionStatus, _ moment: Timestamp) -> [NoticeCode] {
            // Auto-renew off before the end, so that nothing else is inconsistent.
            given(bought, .autoRenew(false, at: day(1)), .status(status, at: moment))
                .notices.map(\.code)
        }
        #expect(codes(.active, day(10)) == [])
        #expect(codes(.expired, day(10)) == [.contradiction])
        #expect(codes(.revoked, day(10)) == [.contradiction])
        #expect(codes(.active, day(45)) == [.contradiction])
        #expect(codes(.expired, day(45)) == [])
    }

    @Test("Only within a minute of a change do both states match")
    func statusBounds() {
        func codes(_ status: SubscriptionStatus, _ offset: Int64) -> [NoticeCode] {
            given(bought, .autoRenew(false, at: day(1)), .status(status, at: day(30, offset)))
                .notices.map(\.code)
        }
        #expect(NoticeLimits.statusToleranceMilliseconds == minute)
        #expect(codes(.expired, -minute) == [])
        #expect(codes(.expired, -minute - 1) == [.contradiction])
        #expect(codes(.active, minute - 1) == [])
        #expect(codes(.active, minute + 1) == [.contradiction])
    }

    @Test("Never before the first period, and an unknown status contradicts nothing")
    func statusBefore() {
        expectNotices(given(bought, .status(.expired, at: day(0, -1))), [])
        expectNotices(given(bought, .status(.expired, at: day(0))), [.contradiction])
        let unknown = Fact.reported(.renewalPair, at: day(3)).with { $0.status = Raw(rawValue: 6) }
        expectNotices(given(bought, unknown), [])
    }

    @Test("contradiction: two sources differ about one transaction at one signedDate")
    func snapshots() {
        let other = Fact.transaction("1", day(0), day(30), at: day(0))
        expectNotices(given(bought, other), [])
        let longer = other.transaction { $0.expiresDate = day(31) }
        #expect(given(bought, longer).notices(.contradiction).map(\.evidence) == [[1, 2]])
        let later = Fact.transaction("1", day(0), day(31), at: day(0, 1))
        expectNotices(given(bought, later), [])
    }

    @Test("tokenChanged: two tokens in one chain; one that differs only in case is none")
    func tokens() {
        func token(_ fact: Fact, _ value: String?) -> Fact {
            fact.transaction { $0.appAccountToken = value }
        }
        let renewed = Fact.didRenew("2", day(30), day(60))
        let changed = given(token(bought, "a"), token(renewed, "b"))
        expectNotices(changed, [.tokenChanged])
        #expect(changed.notices.map(\.from) == [day(30)])
        #expect(changed.notices.map(\.evidence) == [[1, 2]])
        expectNotices(given(token(bought, "a"), token(renewed, "A")), [])
        expectNotices(given(token(bought, "a"), token(renewed, nil)), [])
    }

    @Test("unknownValue: from the fact on, naming the fields")
    func unknownValues() {
        let strange = Fact.notification(.didChangeRenewalPref, at: day(3)).with {
            $0.unknownValues = ["notificationType", "renewal.offerType"]
        }
        let life = given(bought, strange)
        expectNotices(life, [.unknownValue])
        #expect(life.notices[0].message.contains("notificationType, renewal.offerType"))
        #expect(life.answer(day(3, -1))?.notices.isEmpty == true)
        #expect(life.answer(day(3))?.notices.count == 1)
    }

    @Test("Notices are sorted by time, then code")
    func sorted() {
        let life = given(
            bought.with { $0.receivedAt = day(1) }, .autoRenew(true, at: day(2)),
            .status(.expired, at: day(0, 2 * hour)),
            .notification(.refundDeclined, at: day(0)).with { $0.flaw = .undecodable })
        expectNotices(
            life,
            [
                .lateDelivery, .unreadable, .contradiction, .renewalOverdue,
            ])
    }
}
