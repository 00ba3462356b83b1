import AppStore
import AppleSync
import Foundation
import Intake
import Ledger
import LedgerStore
import LedgerTestSupport
import Queries
import Simulator
import Testing

@Suite("Recovery of missing notifications")
struct RecoveryTests {
    @Test("afterwards everything of the window is here, once, and certain")
    func whole() async throws {
        let world = try RecoveryWorld()
        let sent = try await world.sent(60, 10)
        let done = try await world.recover(RecoveryWorld.request(60, 10))
        #expect(sent.count > 50)
        #expect(done.report.fetchedCount == Int64(sent.count))
        #expect(done.report.newCount == Int64(sent.count))
        #expect(done.report.knownCount == 0)
        #expect(done.report.reservation == nil)
        #expect(done.report.completeThrough == RecoveryWorld.days(10))
        let held = try await world.held()
        #expect(Set(held) == sent)
        #expect(held.count == sent.count)
        #expect(done.head.position == Int64(held.count) + 1)
        try await world.audit()
    }

    @Test("the second time nothing is appended: head and root are unchanged")
    func twice() async throws {
        let world = try RecoveryWorld()
        let first = try await world.recover(RecoveryWorld.request(60, 30))
        let second = try await world.recover(RecoveryWorld.request(60, 30))
        #expect(second.head.position == first.head.position)
        #expect(second.head.root == first.head.root)
        #expect(second.report.newByType.isEmpty)
        #expect(second.report.knownCount == first.report.fetchedCount)
        #expect(second.report.chains.isEmpty)
        #expect(second.report.customers.isEmpty)
        #expect(second.report.completeThrough == RecoveryWorld.days(30))
    }

    @Test("a window that touches the certain one extends it; known events are duplicates")
    func further() async throws {
        let world = try RecoveryWorld()
        let first = try await world.recover(RecoveryWorld.request(60, 40))
        let second = try await world.recover(RecoveryWorld.request(50, 20))
        #expect(second.report.knownCount > 0)
        #expect(second.report.newCount > 0)
        #expect(second.report.completeThrough == RecoveryWorld.days(20))
        let sent = try await world.sent(60, 20)
        #expect(Set(try await world.held()) == sent)
        #expect(second.report.fetchedCount < first.report.fetchedCount + Int64(sent.count))
    }

    @Test("an unswept gap is not skipped")
    func gap() async throws {
        let world = try RecoveryWorld()
        _ = try await world.recover(RecoveryWorld.request(60, 50))
        let later = try await world.recover(RecoveryWorld.request(40, 30))
        #expect(later.report.reservation == .gap)
        #expect(later.report.completeThrough == RecoveryWorld.days(50))
        #expect(later.report.newCount > 0)
        // Nor is one on the other side.
        let earlier = try await world.recover(RecoveryWorld.request(80, 70))
        #expect(earlier.report.reservation == .gap)
        #expect(earlier.report.completeThrough == RecoveryWorld.days(50))
    }

    @Test("a window in the future confirms nothing, and says so")
    func future() async throws {
        let world = try RecoveryWorld()
        let done = try await world.recover(RecoveryWorld.request(-1, -2))
        #expect(done.report.reservation == .future)
        #expect(done.report.completeThrough == nil)
        #expect(done.report.fetchedCount == 0)
    }

    @Test("changes are reported: each chain's state before and after")
    func changes() async throws {
        let world = try RecoveryWorld()
        let before = try await world.recover(RecoveryWorld.request(170, 40))
        let done = try await world.recover(RecoveryWorld.request(40, 0))
        #expect(done.report.chains.count > 5)
        #expect(!done.report.customers.isEmpty)
        try await world.ledger.session { session in
            func state(_ id: String, _ knowledge: AsOf = .everything) async throws -> String? {
                let moment = world.ledger.moment(nil, knowledge)
                let reading = try await session.snapshot.reading(id, moment: moment)
                return try TemporaryLedger.json { reading.write(to: &$0) }["state"]?.string
            }
            for change in done.report.chains {
                let id = change.chain.originalTransactionId.rawValue
                let now = try await state(id)
                #expect(now == change.after?.rawValue)
                guard let was = change.before else { continue }
                let then = try await state(id, .knownPosition(before.head.position))
                #expect(then == was.rawValue)
                #expect(was != change.after)
            }
        }
    }

    @Test("selected types fetch only these, and confirm nothing")
    func types() async throws {
        let world = try RecoveryWorld()
        var request = RecoveryWorld.request(60, 10)
        request.types = try #require(RecoveryType.read("EXPIRED,DID_RENEW.BILLING_RECOVERY"))
        let done = try await world.recover(request)
        #expect(done.report.reservation == .filtered)
        #expect(done.report.completeThrough == nil)
        #expect(done.report.newByType.map(\.type) == ["DID_RENEW", "EXPIRED"])
        #expect(done.report.fetchedCount == done.report.newCount)
    }

    @Test("one customer's id fetches only that customer's notifications")
    func id() async throws {
        let world = try RecoveryWorld()
        let all = try await world.recover(RecoveryWorld.request(25, 20))
        let id = try #require(all.report.chains.first).chain.originalTransactionId.rawValue
        var request = RecoveryWorld.request(60, 10)
        request.id = id
        let other = try RecoveryWorld()
        let done = try await other.recover(request)
        #expect(done.report.newCount > 0)
        let lines = try await other.ledger.exportLines(.events)
        #expect(Set(lines.compactMap { $0["originalTransactionId"]?.string }) == [id])
    }

    @Test("undelivered notifications are reported with their attempts")
    func undelivered() async throws {
        var world = try RecoveryWorld()
        world.outages = [RecoveryWorld.days(20)...RecoveryWorld.days(0)]
        var request = RecoveryWorld.request(60, 1)
        request.onlyFailures = true
        let done = try await world.recover(request)
        #expect(done.report.newCount > 0)
        #expect(Int64(done.report.undelivered.count) == done.report.fetchedCount)
        for entry in done.report.undelivered {
            #expect(Set(entry.results) == ["NO_RESPONSE"])
            #expect(entry.body["attempts"]?.array?.isEmpty == false)
        }
    }

    @Test("undelivered notifications that were erased are neither kept nor reported again")
    func undeliveredErased() async throws {
        // given
        var world = try RecoveryWorld()
        world.outages = [RecoveryWorld.days(20)...RecoveryWorld.days(0)]
        var request = RecoveryWorld.request(25, 1)
        request.onlyFailures = true
        let first = try await undelivered(world, request)
        let uuid = try #require(first.first)
        let events = try await world.ledger.exportLines(.events)
        let event = try #require(events.first { $0["notificationUUID"]?.string == uuid })
        let id = try #require(event["originalTransactionId"]?.string)
        try await world.ledger.erase(chains: [id])
        let left = Set(try await world.held())
        // when
        let again = try await undelivered(world, request)
        // then
        #expect(!again.contains(uuid) && !again.isEmpty)
        #expect(again == first.filter { left.contains($0) })
        #expect(try world.ledger.files(holding: [uuid]).isEmpty)
    }

    /// The notificationUUIDs that a recovery reports as undelivered.
    private func undelivered(
        _ world: RecoveryWorld, _ request: RecoveryRequest
    ) async throws -> [String] {
        let done = try await world.recover(request)
        return done.report.undelivered.compactMap { $0.body["notificationUUID"]?.string }
    }

    // MARK: Completeness

    @Test("a late notification within the certain window ends certainty there, from then on")
    func doubt() async throws {
        let world = try RecoveryWorld()
        let done = try await world.recover(RecoveryWorld.request(60, 10))
        var chain = MadeChain()
        chain.start = RecoveryWorld.days(30)
        let late = chain.bought()
        // When `bought` is signed.
        let lost = chain.start.advanced(byMilliseconds: 3_000)
        #expect(try await world.ledger.ingest([late]).appended == 1)
        let id = chain.id
        let doubtful = try await world.ledger.show(id)
        #expect(doubtful["completeThrough"]?.string == lost.rfc3339)
        let held = try await world.held()
        let other = try #require(
            try await world.ledger.exportLines(.subscriptions).first {
                $0["originalTransactionId"]?.string != id
            }?["originalTransactionId"]?.string)
        let then = try await world.ledger.show(
            other, knowledge: .knownPosition(done.head.position))
        #expect(then["completeThrough"]?.string == RecoveryWorld.days(10).rfc3339)
        #expect(held.count == Int(done.head.position))
        try await world.audit()
        let again = try await world.recover(RecoveryWorld.request(60, 10))
        #expect(again.report.newCount == 0)
        #expect(again.report.completeThrough == RecoveryWorld.days(10))
        try await world.audit()
    }

    @Test("version 1 notifications end certainty; a sweep confirms what follows the last of them")
    func versionOne() async throws {
        // given: a sweep, then two deliveries of version 1
        var world = try RecoveryWorld()
        try world.ledger.share()
        world.ledger.now = RecoveryWorld.days(12)
        let first = try await world.recover(RecoveryWorld.request(25, 20))
        #expect(first.report.completeThrough == RecoveryWorld.days(20))
        let chain = MadeChain(start: RecoveryWorld.days(40))
        func body(_ type: String) -> [UInt8] {
            chain.notificationV1(type, through: 0, at: chain.start)
        }
        #expect(try await world.ledger.ingest([body("INITIAL_BUY")]).appended == 1)
        let imported = try await world.ledger.show(chain.id)
        // One from a file says nothing of its delivery.
        #expect(imported["completeThrough"]?.string == RecoveryWorld.days(20).rfc3339)
        for (day, type) in [(6, "DID_RENEW"), (5, "DID_CHANGE_RENEWAL_PREF")] as [(Int64, String)] {
            world.ledger.now = RecoveryWorld.days(day)
            try await world.deliver(body(type))
        }
        let ended = try await world.ledger.show(chain.id)
        #expect(ended["completeThrough"]?.isNull == true)
        // when
        world.ledger.now = RecoveryWorld.now
        let before = try await world.recover(RecoveryWorld.request(25, 5))
        let after = try await world.recover(RecoveryWorld.request(20, 1))
        // then
        #expect(before.report.reservation == .versionOne)
        #expect(before.report.complete == nil)
        #expect(!before.report.isFlawed)
        #expect(after.report.reservation == .versionOne)
        let expected = CompleteWindow(from: RecoveryWorld.days(5), through: RecoveryWorld.days(1))
        #expect(after.report.complete == expected)
        #expect(RecoveryText.report(after.report).contains("version 1"))
        let whole = try await world.recover(RecoveryWorld.request(5, 1))
        #expect(whole.report.reservation == nil)
        try await world.audit()
        // A doubt of what follows.
        let late = MadeChain(id: "500000000000002", start: RecoveryWorld.days(3))
        #expect(try await world.ledger.ingest([late.bought()]).appended == 1)
        let doubtful = try await world.ledger.show(late.id)
        #expect(doubtful["completeFrom"]?.string == RecoveryWorld.days(5).rfc3339)
        #expect(doubtful["completeThrough"]?.string != RecoveryWorld.days(1).rfc3339)
        try await world.audit()
    }

    @Test("version 2 notifications from before the last of version 1 confirm nothing after it")
    func versionOneAgain() async throws {
        // given: version 2, then version 1 half an hour ago
        var world = try RecoveryWorld()
        try world.ledger.share()
        world.ledger.now = RecoveryWorld.days(12)
        _ = try await world.recover(RecoveryWorld.request(25, 20))
        let last = RecoveryWorld.now.advanced(byMilliseconds: -30 * 60_000)
        world.ledger.now = last
        let chain = MadeChain(start: RecoveryWorld.days(40))
        try await world.deliver(chain.notificationV1("DID_RENEW", through: 0, at: chain.start))
        // when
        world.ledger.now = RecoveryWorld.now
        let before = try await world.recover(RecoveryWorld.request(20, 0))
        let sent = MadeChain(
            id: "500000000000002", start: last.advanced(byMilliseconds: 60_000))
        #expect(try await world.ledger.ingest([sent.bought()]).appended == 1)
        let after = try await world.recover(RecoveryWorld.request(20, 0))
        // then
        #expect(before.report.fetchedCount > 0)
        #expect(before.report.reservation == .versionOne)
        #expect(before.report.complete == nil)
        let settled = RecoveryWorld.now.advanced(
            byMilliseconds: -RecoveryRun.settleMilliseconds)
        #expect(after.report.complete == CompleteWindow(from: last, through: settled))
        try await world.audit()
    }

    @Test("answers about customers carry it as well")
    func customers() async throws {
        let world = try RecoveryWorld()
        _ = try await world.recover(RecoveryWorld.request(25, 20))
        try await world.ledger.session { session in
            let moment = world.ledger.moment()
            let answer = try await session.snapshot.entitlements(
                of: CustomerId("nobody"), moment: moment)
            #expect(answer.stamp.complete?.through == RecoveryWorld.days(20))
            let reading = try await session.snapshot.reading(
                of: CustomerId("nobody"), moment: moment)
            #expect(reading.stamp.complete?.through == RecoveryWorld.days(20))
        }
    }
}
