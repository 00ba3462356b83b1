import AppStore
import AppStoreAPI
import Ledger
import LedgerTestSupport
import Synchronization
import Testing

@testable import AppleSync

@Suite("Limits of outage detection, at the bound and one past it")
struct OutageLimitTests {
    /// Pages with one undelivered notification each, three hours apart.
    private final class Failures: APITransport {
        let count: Int
        private let asked = Mutex(0)

        init(_ count: Int) { self.count = count }

        var requestCount: Int { asked.withLock { $0 } }

        func send(
            _ request: TransportRequest
        ) async throws(TransportFailure) -> TransportResponse {
            let number = asked.withLock { asked in
                asked += 1
                return asked
            }
            let signed = RecoveryWorld.now.advanced(byMilliseconds: -Int64(number) * 3 * 3_600_000)
            let token = try? MadeChain().notification(
                .didChangeRenewalStatus, .autoRenewEnabled, 0, at: signed
            ).token()
            let attempts =
                "[{\"attemptDate\":\(signed.milliseconds),\"sendAttemptResult\":\"NO_RESPONSE\"}]"
            return TransportResponse(
                status: 200,
                body: Array(
                    """
                    {"hasMore":\(number < count),"paginationToken":"\(number)",
                    "notificationHistory":[{"signedPayload":"\(token ?? "")",
                    "sendAttempts":\(attempts)}]}
                    """.utf8))
        }
    }

    @Test("undelivered notifications are read up to the page limit")
    func failurePages() async throws {
        let bound = OutageWatch.failurePageCount
        for pages in [bound, bound + 1] {
            let world = try RecoveryWorld()
            let transport = Failures(pages)
            let client = try world.client(world.apple(), carrying: { _ in transport })
            let found = try await world.ledger.ledger { ledger in
                try await OutageWatch(ledger: ledger, client: client) { RecoveryWorld.now }
                    .suggestions()
            }
            #expect(transport.requestCount == bound)
            #expect(found.count == bound)
            #expect(found.allSatisfy { $0.reasons == [.failedDeliveries] })
        }
    }

    @Test("a sweep that did not become certain counts for a day, less a millisecond")
    func again() {
        let name = UncertainSweeps.Name(environment: .production, bundleId: RecoveryWorld.app)
        let swept = CompleteWindow(
            from: RecoveryWorld.days(2), through: RecoveryWorld.days(1))
        let uncertain = UncertainSweeps()
        uncertain.note(
            name, swept, .refused, at: RecoveryWorld.now, endedAt: RecoveryWorld.now)
        for (excess, counts) in [(Int64(-1), true), (0, false)] {
            let later = RecoveryWorld.now.advanced(
                byMilliseconds: UncertainSweeps.againMilliseconds + excess)
            #expect((uncertain.window(name, at: later) != nil) == counts)
        }
        // A window that became certain causes no wait.
        uncertain.note(
            name, swept, nil, at: RecoveryWorld.now, endedAt: RecoveryWorld.now)
        #expect(uncertain.window(name, at: RecoveryWorld.now) == nil)
    }
}
