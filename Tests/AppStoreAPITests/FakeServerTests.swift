import AppStore
import LedgerTestSupport
import Signing
import Simulator
import Testing

@testable import AppStoreAPI

@Suite("The client against the simulated API, over a socket")
struct FakeServerTests {
    /// The id of the store's chain with the most transactions.
    static let id = Served.books.someIds(1)[0]

    @Test("a transaction is signed, and verifies")
    func transactionInfo() async throws {
        try await Served().ask { client, _ in
            let answer = try await client.transactionInfo(FakeServerTests.id, in: .productionFirst)
            let token = try #require(answer.value.signedTransactionInfo)
            let verified = try Served.verifier.verifyTransaction(
                Array(token.utf8), receivedAt: Served.now)
            #expect(verified.payload.transactionId?.rawValue == FakeServerTests.id)
            #expect(answer.environment == .production)
        }
    }

    @Test("every endpoint responds")
    func endpoints() async throws {
        let id = FakeServerTests.id
        try await Served().ask { client, api in
            let choice = EnvironmentChoice.only(.production)
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
            let token = try #require(test.value.testNotificationToken)
            let early = await Asked.failure {
                _ = try await client.testNotificationStatus(token, in: .production)
            }
            #expect(early?.appleCode == Raw(.testNotificationNotFound))
            #expect(api.counts[.requestTestNotification] == 1)
        }
    }

    @Test("a token that was set is in later transactions")
    func setToken() async throws {
        let id = FakeServerTests.id
        try await Served().ask { client, _ in
            let token = "7389a31a-fb6d-4569-a2a6-db7d85d84813"
            do throws(APIFailure) {
                _ = try await client.setAppAccountToken(
                    OriginalTransactionId(id), token, in: .productionFirst)
            } catch {
                // A family member's copy has no token of its own.
                #expect(error.appleCode == Raw(.familyTransactionNotSupported))
                return
            }
            let answer = try await client.transactionInfo(id, in: .productionFirst)
            let verified = try Served.verifier.verifyTransaction(
                Array((answer.value.signedTransactionInfo ?? "").utf8), receivedAt: Served.now)
            #expect(verified.payload.appAccountToken == token)
        }
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
            ServedFault.status(503), .error(5_000_001), .dropped, .half,
            .rateLimited(milliseconds: 20), .slow(milliseconds: 20),
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
            (.garbage, .unreadableAnswer), (.status(502), .appleUnavailable),
            (.oversized(byteCount: APILimits.answerByteCount + 1), .answerTooLarge),
            (.rateLimited(milliseconds: 60_000), .rateLimited), (.status(401), .unauthorized),
            (.error(4_040_010), .refusedByApple),
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

    @Test("an invalid signature inside a 200 does not verify")
    func badSignature() async throws {
        var served = Served()
        served.faults = [ServedFaultRule(.badSignature)]
        try await served.ask { client, _ in
            let answer = try await client.transactionInfo(FakeServerTests.id, in: .productionFirst)
            let error = #expect(throws: VerificationError.self) {
                try Served.verifier.verifyTransaction(
                    Array((answer.value.signedTransactionInfo ?? "").utf8),
                    receivedAt: Served.now)
            }
            #expect(error?.code == .signatureMismatch)
        }
    }

    @Test("another app's response is rejected")
    func anotherApp() async throws {
        var served = Served()
        served.faults = [ServedFaultRule(.anotherApp)]
        try await served.ask { client, _ in
            let failure = await Asked.failure {
                _ = try await client.transactionHistory(FakeServerTests.id, in: .productionFirst)
            }
            #expect(failure?.code == .answerForAnotherApp)
        }
    }

    @Test("pages that lead nowhere end", arguments: [ServedFault.loop, .barren])
    func endless(_ fault: ServedFault) async throws {
        var served = Served()
        served.faults = [ServedFaultRule(fault)]
        try await served.ask { client, api in
            let failure = await Asked.failure {
                for try await _ in client.transactionHistoryPages(
                    FakeServerTests.id, in: .productionFirst)
                {}
            }
            #expect(failure?.code == .endlessPages)
            #expect((api.counts[.transactionHistory] ?? 0) <= APILimits.barrenPageCount)
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
