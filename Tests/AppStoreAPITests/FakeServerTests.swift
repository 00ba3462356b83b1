import AppStore
import LedgerTestSupport
import Signing
import Testing

@testable import AppStoreAPI
@testable import Simulator

@Suite("The client against the simulated API")
struct FakeServerTests {
    /// The id of the store's chain with the most transactions.
    static let id = Served.books.someIds(1)[0]

    @Test("every endpoint responds; a transaction is signed, and verifies")
    func endpoints() async throws {
        let id = FakeServerTests.id
        try await Served().ask { client, api in
            let choice = EnvironmentChoice.only(.production)
            let info = try await client.transactionInfo(id, in: .productionFirst)
            let token = try #require(info.value.signedTransactionInfo)
            let verified = try Served.verifier.verifyTransaction(
                Array(token.utf8), receivedAt: Served.now)
            #expect(verified.payload.transactionId?.rawValue == id)
            #expect(info.environment == .production)
            let statuses = try await client.allSubscriptionStatuses(id, in: choice)
            #expect(statuses.value.bundleId == Asked.app)
            let app = try await client.appTransactionInfo(id, in: choice)
            #expect(app.value.signedAppTransactionInfo != nil)
            let order = try await client.orderLookup("MK\(id)")
            #expect(order.value.status == Raw(.valid))
            #expect(order.value.signedTransactions?.count == 1)
            let none = try await client.orderLookup("MK1")
            #expect(none.value.status == Raw(.invalid))
            _ = try await client.refundHistory(id, in: choice)
            _ = try await client.finishTransaction(TransactionId(id), in: choice)
            let test = try await client.requestTestNotification(in: .production)
            let name = try #require(test.value.testNotificationToken)
            let early = await Asked.failure {
                _ = try await client.testNotificationStatus(name, in: .production)
            }
            #expect(early?.appleCode == Raw(.testNotificationNotFound))
            #expect(api.counts[.requestTestNotification] == 1)
        }
    }

    /// A chain of several periods without a gap, the last of which was not renewed, and its end.
    static let ended: (chain: ServedRecords.Chain, end: Timestamp)? = {
        for (_, chain) in AskedApple.production.chains.sorted(by: { $0.key < $1.key }) {
            let run = chain.truth.dropLast()
            guard let last = chain.truth.last, last.state == .expired,
                run.allSatisfy({ $0.state == .subscribed || $0.state == .renewing }),
                let newest = chain.transactions(at: last.from).last, chain.snapshots.count > 2,
                newest.transactionId == run.last?.transactionId, newest.expiresDate == last.from,
                newest.inAppOwnershipType?.value == .purchased
            else { continue }
            return (chain, last.from)
        }
        return nil
    }()

    private static func sorted(_ transactions: [TransactionPayload]) -> [TransactionPayload] {
        transactions.sorted {
            ($0.purchaseDate?.milliseconds ?? 0) < ($1.purchaseDate?.milliseconds ?? 0)
        }
    }

    @Test("days are added to the current transaction; a token is in it and in later ones")
    func currentTransaction() async throws {
        let (chain, end) = try #require(FakeServerTests.ended)
        let (name, moment) = (chain.originalTransactionId, end.advanced(byMilliseconds: -3_600_000))
        let token = "7389a31a-fb6d-4569-a2a6-db7d85d84813"
        let before = FakeServerTests.sorted(chain.transactions(at: moment))
        let second = try #require(before[1].purchaseDate)
        let apple = try AskedApple()
        apple.clock.set(second.advanced(byMilliseconds: 86_400_000))
        let extended = try await apple.client.extendRenewalDate(
            OriginalTransactionId(name), days: 2, reason: Raw(.serviceIssueOrOutage),
            requestIdentifier: "r", in: .productionFirst)
        _ = try await apple.client.setAppAccountToken(
            OriginalTransactionId(name), token, in: .productionFirst)
        apple.clock.set(moment)
        var after: [TransactionPayload] = []
        for try await page in apple.client.transactionHistoryPages(name, in: .productionFirst) {
            for signed in page.value.signedTransactions ?? [] {
                let jws = try CompactJWS(parsing: Array(signed.utf8))
                after.append(try TransactionPayload.decode(jws.payload))
            }
        }
        after = FakeServerTests.sorted(after)
        var ends = before.map(\.expiresDate)
        ends[1] = ends[1]?.advanced(byMilliseconds: 2 * 86_400_000)
        #expect(after.map(\.expiresDate) == ends)
        #expect(extended.value.effectiveDate == ends[1])
        let hasToken = after.map { $0.appAccountToken == token }
        #expect(hasToken.first == false)
        #expect(hasToken.dropFirst().allSatisfy { $0 })
    }

    @Test("in the days that were added the status is active, with the later renewal date")
    func addedDays() async throws {
        let (chain, end) = try #require(FakeServerTests.ended)
        let id = chain.originalTransactionId
        let apple = try AskedApple()
        func status() async throws -> LastTransactionsItem? {
            let answer = try await apple.client.allSubscriptionStatuses(id, in: .productionFirst)
            return answer.value.data?.first?.lastTransactions?.first
        }
        apple.clock.set(end.advanced(byMilliseconds: -3_600_000))
        let extended = try await apple.client.extendRenewalDate(
            OriginalTransactionId(id), days: 2, reason: Raw(.serviceIssueOrOutage),
            requestIdentifier: "r", in: .productionFirst)
        let later = try #require(extended.value.effectiveDate)
        apple.clock.set(end.advanced(byMilliseconds: 86_400_000))
        let added = try #require(try await status())
        #expect(added.status == Raw(.active))
        let sold = try CompactJWS(parsing: Array((added.signedTransactionInfo ?? "").utf8))
        let expiresDate = try TransactionPayload.decode(sold.payload).expiresDate
        #expect(expiresDate == later)
        let renewal = try CompactJWS(parsing: Array((added.signedRenewalInfo ?? "").utf8))
        let renewalDate = try RenewalPayload.decode(renewal.payload).renewalDate
        #expect(renewalDate == later)
        apple.clock.set(later)
        let past = try #require(try await status())
        #expect(past.status == Raw(.expired))
    }

    /// A moment at which a renewal was signed and has not begun, and the renewal's end.
    private static let signedEarly:
        (chain: ServedRecords.Chain, moment: Timestamp, end: Timestamp)? = {
            for (_, chain) in AskedApple.production.chains.sorted(by: { $0.key < $1.key }) {
                for next in sorted(chain.snapshots.values.compactMap(\.first)) {
                    // Both payloads of the notification are signed by then.
                    let moment = next.signed.advanced(byMilliseconds: 2000)
                    guard let begin = next.purchaseDate, moment < begin, let end = next.expiresDate,
                        chain.status(at: moment) == .active,
                        chain.renewal(at: moment)?.renewalDate == end,
                        next.inAppOwnershipType?.value == .purchased
                    else { continue }
                    return (chain, moment, end)
                }
            }
            return nil
        }()

    @Test("days that are added after a renewal was signed early do not move the one after it")
    func addedDaysBeforeRenewal() async throws {
        let (chain, moment, end) = try #require(FakeServerTests.signedEarly)
        let id = chain.originalTransactionId
        let apple = try AskedApple()
        apple.clock.set(moment)
        _ = try await apple.client.extendRenewalDate(
            OriginalTransactionId(id), days: 2, reason: Raw(.serviceIssueOrOutage),
            requestIdentifier: "r", in: .productionFirst)
        let answer = try await apple.client.allSubscriptionStatuses(id, in: .productionFirst)
        let newest = try #require(answer.value.data?.first?.lastTransactions?.first)
        let renewal = try CompactJWS(parsing: Array((newest.signedRenewalInfo ?? "").utf8))
        let renewalDate = try RenewalPayload.decode(renewal.payload).renewalDate
        #expect(renewalDate == end)
    }

    @Test("notification history returns every notification of the window once")
    func notifications() async throws {
        try await Served().ask { client, _ in
            var request = Served.window
            request.startDate = RecoveryWorld.days(60)
            var ids: Set<String> = []
            var (items, pages) = (0, 0)
            for try await page in client.notificationHistoryPages(request, in: .production) {
                pages += 1
                #expect(page.value.signedItems.count <= 20)
                for token in page.value.signedItems {
                    let verified = try Served.verifier.verifyNotification(
                        Array(token.utf8), receivedAt: Served.now)
                    ids.insert(verified.payload.notificationUUID?.rawValue ?? "")
                    items += 1
                }
            }
            #expect(items > 20)
            #expect(ids.count == items)
            #expect(pages == (items + 19) / 20)
        }
    }

    @Test("a window has at most 180 days")
    func window() async throws {
        try await Served().ask { client, _ in
            var request = Served.window
            _ = try await client.notificationHistory(request, in: .production)
            request.startDate = request.startDate?.advanced(byMilliseconds: -1)
            let failure = await Asked.failure {
                _ = try await client.notificationHistory(request, in: .production)
            }
            #expect(failure?.appleCode == Raw(.startDateTooFarInPast))
        }
    }

    @Test("onlyFailures returns the notifications lost in an outage")
    func onlyFailures() async throws {
        var served = Served()
        let start = Served.now.advanced(byMilliseconds: -40 * 86_400_000)
        served.outages = [start...Served.now]
        try await served.ask { client, _ in
            var request = Served.window
            request.onlyFailures = true
            var count = 0
            for try await page in client.notificationHistoryPages(request, in: .production) {
                for item in page.value.notificationHistory ?? [] {
                    count += 1
                    let results = (item.sendAttempts ?? []).map(\.sendAttemptResult?.value)
                    #expect(results.allSatisfy { $0 == .noResponse })
                    #expect((1...6).contains(results.count))
                    #expect(item.sendAttempts?.first?.attemptDate.map { $0 >= start } == true)
                }
            }
            #expect(count > 0)
        }
    }

    @Test(
        "a transient fault does not reach the caller",
        arguments: [
            ServedFault.dropped, .half, .rateLimited(milliseconds: 20), .slow(milliseconds: 20),
        ])
    func passingFault(_ fault: ServedFault) async throws {
        var served = Served()
        served.faults = [ServedFaultRule(fault, count: 2)]
        try await served.ask { client, api in
            let answer = try await client.transactionInfo(FakeServerTests.id, in: .productionFirst)
            #expect(answer.value.signedTransactionInfo != nil)
            #expect(api.counts[.transactionInfo] == (fault == .slow(milliseconds: 20) ? 1 : 3))
        }
    }

    @Test(
        "a permanent fault ends in its own failure",
        arguments: [
            (ServedFault.dropped, APIFailure.Code.appleUnreachable), (.half, .appleUnreachable),
            (.oversized(byteCount: APILimits.answerByteCount + 1), .answerTooLarge),
            (.rateLimited(milliseconds: 60_000), .rateLimited),
        ])
    func lastingFault(_ fault: ServedFault, _ code: APIFailure.Code) async throws {
        var served = Served()
        served.faults = [ServedFaultRule(fault)]
        try await served.ask { client, _ in
            let failure = await Asked.failure {
                _ = try await client.transactionInfo(FakeServerTests.id, in: .productionFirst)
            }
            #expect(failure?.code == code)
        }
    }

    @Test("the longest response is accepted")
    func longestAnswer() async throws {
        var served = Served()
        served.faults = [
            ServedFaultRule(.oversized(byteCount: APILimits.answerByteCount))
        ]
        try await served.ask { client, _ in
            let failure = await Asked.failure {
                _ = try await client.transactionInfo(FakeServerTests.id, in: .productionFirst)
            }
            // It was read completely, and is not JSON.
            #expect(failure?.code == .unreadableAnswer)
        }
    }

    @Test("the Date of a response is the store's time, by a wrong clock where a fault says so")
    func date() async throws {
        var served = Served()
        served.faults = [ServedFaultRule(.clock(milliseconds: 60_000), from: 2)]
        try await served.ask { client, _ in
            for time in [Served.now, Served.now.advanced(byMilliseconds: 60_000)] {
                let id = FakeServerTests.id
                let answer = try await client.transactionInfo(id, in: .productionFirst)
                #expect(answer.date == time)
            }
        }
    }

    @Test("a response that is too late is abandoned")
    func timeout() async throws {
        var served = Served()
        served.faults = [ServedFaultRule(.slow(milliseconds: 60_000))]
        served.timeoutMilliseconds = 50
        served.policy.attempts = 2
        try await served.ask { client, _ in
            let failure = await Asked.failure {
                _ = try await client.transactionInfo(FakeServerTests.id, in: .productionFirst)
            }
            #expect(failure?.code == .appleTimedOut)
        }
    }

    @Test(
        "a client whose clock is hours off is still authenticated",
        arguments: [
            Int64(-7_200_000), 7_200_000,
        ])
    func wrongClock(_ offset: Int64) async throws {
        var served = Served()
        served.clientClock = WrongClock(offsetMilliseconds: offset)
        try await served.ask { client, api in
            _ = try await client.transactionInfo(FakeServerTests.id, in: .productionFirst)
            _ = try await client.transactionInfo(FakeServerTests.id, in: .productionFirst)
            #expect(api.counts[.transactionInfo] == 3)
        }
    }

    @Test("an allowance covers its last request, and one more is given the time of renewal")
    func allowance() throws {
        var setup = SimulatedAPI.Setup(
            books: Served.books, key: Asked.key, authority: TestAuthority.shared,
            attempts: RecoveryWorld.attempts, storeClock: { Served.now }, clock: { Served.now })
        setup.rateWindowMilliseconds = 60_000
        let api = SimulatedAPI(setup)
        let token = try TokenSource(Asked.credentials()).token(at: Served.now)
        let request = ServedRequest(
            method: "POST", path: "/inApps/v1/notifications/test",
            authorization: "Bearer \(token)")
        for _ in 0..<60 { #expect(api.answer(request).status == 200) }
        let refused = api.answer(request)
        #expect(refused.status == 429)
        let until = Served.now.milliseconds + 60_000
        #expect(refused.headers.contains { $0.name == "retry-after" && $0.value == "\(until)" })
    }

    @Test(
        "requests without the right token are rejected",
        arguments: [
            nil, "", "Bearer", "Bearer x.y.z", "Basic abc",
        ])
    func noToken(_ authorization: String?) {
        let api = SimulatedAPI(
            SimulatedAPI.Setup(
                books: Served.books, key: Asked.key, authority: TestAuthority.shared,
                attempts: RecoveryWorld.attempts, storeClock: { Served.now },
                clock: { Served.now }))
        let reply = api.answer(
            ServedRequest(
                method: "GET", path: "/inApps/v1/transactions/1", authorization: authorization))
        #expect(reply.status == 401)
        #expect(reply.body.isEmpty)
    }
}
