import AppStore
import HTTPTypes
import Ledger
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import Synchronization
import Testing

@testable import Service
@testable import Web

@Suite("What a process remembers of persons, after an erasure")
struct ErasureMemoryTests {
    private static let authorization: HTTPFields = [.authorization: "Bearer dpo"]
    private let purchase = MadePurchase()

    private var chain: ChainId {
        ChainId(
            bundleId: BundleId(MadePurchase.app),
            originalTransactionId: OriginalTransactionId(purchase.id))
    }

    // MARK: Memories

    /// What a process was made to remember of the customer `ann`.
    private struct Memory {
        let host: LedgerHost
        /// An answer for a page that is kept.
        let answer: PageAnswers.Answer
        /// The state that the customer was read from.
        let state: LedgerSnapshot
        /// The escaped addresses of two forms, with what was typed.
        let drafts: [Substring]

        static let page = "/console/production/reports"
        static let kinds = ["act", "customer", "page", "recovery", "refused decision"]

        /// The kinds of what is still remembered, besides drafts.
        func kinds() throws -> [String] {
            let served = try host.ledger(.production)
            let act = host.acts.known(ActMemory.Key(environment: .production, key: "k"))
            let customer = ProjectionsStore.CustomerKey(CustomerId("ann"))
            let page = host.pageAnswers.result(of: answer, Memory.page, isKept: true)
            let found: [Bool] = [
                act != nil, served.hotCustomers.value(customer, of: state) != nil, page != nil,
                !host.recoveryJobs.all(in: .production).isEmpty,
                !host.refusedDecisions.all(in: .production).isEmpty,
            ]
            return zip(Memory.kinds, found).filter(\.1).map(\.0)
        }
    }

    /// Makes the process remember one of each kind, and two drafts.
    private func remember(_ client: WebClient, _ host: LedgerHost) async throws -> Memory {
        func fields(_ key: String? = nil) -> HTTPFields {
            var fields = HTTPFields.decision(key: key)
            fields[.authorization] = ErasureMemoryTests.authorization[.authorization]
            return fields
        }
        let link = "/v1/customers/ann/subscriptions/\(purchase.id)"
        let refused = try await client.send(.delete, link, fields())
        #expect(refused.code == "notLinked")
        let linked = try await client.send(.put, link, fields())
        #expect(linked.status == 200)
        let state = try await host.ledger(.production).snapshot(atLeast: 3, limit: .seconds(120))
        let held = try await client.get(
            "/v1/customers/ann/entitlements?minPosition=3", ErasureMemoryTests.authorization)
        #expect(held.status == 200)
        let act = try await client.send(.post, "/v1/quarantine:retry", fields("k"))
        #expect(act.status == 200)
        let job = RecoveryJob(
            id: "1", environment: .production, bundleId: BundleId(MadePurchase.app),
            from: purchase.start, to: ServedPlace.now, actor: "sara", reason: "ticket 7",
            startedAt: ServedPlace.now, state: .running)
        #expect(host.recoveryJobs.begin(job))
        host.recoveryJobs.end(job.id, .failed(code: "closed", message: ""), at: ServedPlace.now)
        let answer = try #require(host.pageAnswers.answer(Memory.page)).answer
        answer.end(.success(7))
        return Memory(
            host: host, answer: answer, state: state,
            drafts: [try await draft(client), try await draft(client)])
    }

    /// Sends a form without a session. Returns the address, escaped, that shows it again.
    private func draft(_ client: WebClient) async throws -> Substring {
        let sent = try await client.submit(
            "/console/production/customers/ann/grant",
            "key=k&reason=ticket+8&entitlement=pro".utf8)
        let address = try #require(sent.headers[.location])
        return try #require(address.split(separator: "next=").last)
    }

    /// Whether a draft is shown after signing in, which is the end of it.
    private func isShown(_ draft: Substring, _ client: WebClient) async throws -> Bool {
        let start = try await client.submit("/console/sign-in", "token=dpo&next=\(draft)".utf8)
        let set = try #require(start.headers[.setCookie])
        let address = try #require(start.headers[.location])
        let page = try await client.get(address, [.cookie: String(set.prefix { $0 != ";" })])
        #expect(page.status == 200)
        return page.text.contains("ticket 8")
    }

    // MARK: Erasures

    /// Serves a process that remembers a person, has the person erased, and checks that all of it
    /// is forgotten when `erase` returns. What that returns lives until then.
    private func check(
        _ erase: @escaping @Sendable (WebClient, LedgerHost) async throws -> ProjectorLock?
    ) async throws {
        var place = try ServedPlace()
        place.configuration.server.tokens = [.init("dpo", Scope.allCases)]
        try await place.serve(renewed: purchase) { client, host in
            // given
            let memory = try await remember(client, host)
            let before = try memory.kinds()
            #expect(before == Memory.kinds)
            let wasShown = try await isShown(memory.drafts[0], client)
            #expect(wasShown)
            // when
            let lock = try await erase(client, host)
            // then
            let after = try memory.kinds()
            #expect(after == [])
            let isStillShown = try await isShown(memory.drafts[1], client)
            #expect(!isStillShown)
            withExtendedLifetime(lock) {}
        }
    }

    @Test("Acts, drafts, recoveries, refused decisions and what was read are forgotten at once")
    func here() async throws {
        try await check { client, host in
            // Derived data does not follow: nothing is left for its projector to forget.
            let directory = try host.ledger(.production).ledger.directory
            let lock = try await ProjectorLock.held(directory: directory)
            var fields = ErasureMemoryTests.authorization
            fields[.contentType] = "application/json"
            let body = WebClient.erasure(chains: [purchase.id], customer: "ann")
            let answer = try await client.post("/v1/erasures", body, fields)
            #expect(answer.status == 200)
            return lock
        }
    }

    @Test("An erasure by another process makes a service forget the same, once it is answered")
    func elsewhere() async throws {
        try await check { _, host in
            let served = try host.ledger(.production)
            try await erase(beside: host)
            while (served.lastForgotten.withLock { $0?.position } ?? 0) < 4 { await Task.yield() }
            return nil
        }
    }

    /// As `subledger erase` beside the service.
    private func erase(beside host: LedgerHost) async throws {
        let session = try await LedgerSession.open(
            host.configuration.ledger, environment: .production)
        let receipt = try await PersonErasure(session, now: host.clock()).run(
            chains: [chain], customer: CustomerId("ann"), TemporaryLedger.erasing)
        #expect(receipt.position == 4)
        await session.close()
    }

    @Test("A page of changes that is kept for other readers is forgotten, too")
    func changes() async throws {
        try await ServedPlace().listen { _, service in
            // given
            let host = service.host
            let served = try host.ledger(.production)
            for period in 0...1 {
                _ = try await host.takeNotification(purchase.notificationBody(period))
            }
            _ = try await served.snapshot(atLeast: 2, limit: .seconds(120))
            let feed = try #require(service.feeds.first { $0.ledger.environment == .production })
            // Without subscribers it takes no steps of its own.
            try await feed.step()
            let kept = try await feed.page(after: .beginning)
            #expect(kept.changes.contains { $0.chain == chain })
            // when
            _ = try await host.erase(
                chains: [purchase.id], customer: nil, TemporaryLedger.erasing, QueryScope())
            _ = try await served.snapshot(atLeast: 3, limit: .seconds(120))
            // then
            let page = try await feed.page(after: .beginning)
            #expect(!page.changes.contains { $0.chain == chain })
        }
    }
}
