import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import Projection
import SQLiteStore
import Signing
import Synchronization
import Testing

@testable import Service

/// When a service reports that it can accept events again.
@Suite("Obstacles to writing the log")
struct LogObstacleTests {
    private let first: NewEvent
    private let second: NewEvent

    init() throws {
        first = try LogObstacleTests.event("a")
        second = try LogObstacleTests.event("b")
    }

    private static func event(_ id: String) throws -> NewEvent {
        NewEvent(
            key: EventKey.make(.notification, [id]),
            attributes: EventAttributes(
                kind: .notification, source: .webhook, trust: .signed,
                bundleId: BundleId(MadeChain.app)),
            receivedAt: Timestamp(milliseconds: 1_000),
            evidence: try EvidencePacker().pack(.verbatim(Array(id.utf8))))
    }

    /// The gauges of a ledger, by name.
    private func gauges(_ served: ServedLedger) async -> [String: Double] {
        let found = await served.gauges(apps: [])
        return Dictionary(uniqueKeysWithValues: found.map { ($0.name, $0.value) })
    }

    @Test("At the start on a full disk it is not ready; once there is room it is")
    func notReady() async throws {
        try await FaultyDisk.serving { (disk: FaultyDisk, served: ServedLedger) async throws in
            disk.fill(true)
            #expect(await served.obstacleCode() == "commitOutcomeUnknown")
            #expect(await served.obstacleCode() == "commitOutcomeUnknown")
            disk.fill(false)
            await served.probe()
            #expect(await served.obstacleCode() == nil)
            let head = try await served.ledger.log.head()
            #expect(head.position == 0)
        }
    }

    @Test("Only the first check after the start writes, if there is no obstacle")
    func firstCheck() async throws {
        try await FaultyDisk.serving { (disk: FaultyDisk, served: ServedLedger) async throws in
            let start = ContinuousClock.now
            #expect(await served.obstacleCode(at: start) == nil)
            let count = disk.commitCount.load(ordering: .relaxed)
            #expect(count > 0)
            let later = start.advanced(by: ServedLedger.checkInterval * 1_000)
            #expect(await served.obstacleCode(at: later) == nil)
            #expect(disk.commitCount.load(ordering: .relaxed) == count)
        }
    }

    @Test("A duplicate does not show that another event can be written")
    func known() async throws {
        try await FaultyDisk.serving { (disk: FaultyDisk, served: ServedLedger) async throws in
            #expect(try await served.append([first]) == [.appended(position: 1)])
            disk.fill(true)
            await #expect(throws: StoreError.self) { try await served.append([second]) }
            #expect(served.obstacle?.code == .commitOutcomeUnknown)
            // Writing nothing needs no room: SQLite commits it on a full disk, too.
            disk.fill(false)
            #expect(try await served.append([first]) == [.duplicate(of: 1)])
            #expect(served.obstacle?.code == .commitOutcomeUnknown)
            #expect(
                try await served.append([first, second]) == [
                    .duplicate(of: 1), .appended(position: 2),
                ])
            #expect(served.obstacle == nil)
        }
    }

    @Test("A log whose every COMMIT fails is not ready, and gauges say what fails, until it works")
    func refused() async throws {
        try await FaultyDisk.serving { (disk: FaultyDisk, served: ServedLedger) async throws in
            _ = try await served.append([first])
            let head = try await served.ledger.log.head()
            let sound = await gauges(served)
            #expect(sound["append_failing"] == 0 && sound["projection_failing"] == 0)
            disk.fill(true)
            await #expect(throws: StoreError.self) { try await served.append([second]) }
            served.note(projection: StoreError(.ioError, reason: "", remedy: ""))
            // Twice: the first check finds a writer that was given up.
            for _ in 0..<2 {
                await served.probe()
                #expect(await served.obstacleCode() == "commitOutcomeUnknown")
            }
            let failing = await gauges(served)
            #expect(failing["append_failing"] == 1 && failing["projection_failing"] == 1)
            disk.fill(false)
            await served.probe()
            #expect(await served.obstacleCode() == nil)
            served.note(projection: nil)
            let again = await gauges(served)
            #expect(again["append_failing"] == 0 && again["projection_failing"] == 0)
            // The check itself left nothing behind.
            #expect(try await served.ledger.log.head() == head)
            #expect(try await served.append([second]) == [.appended(position: 2)])
        }
    }

    @Test("A COMMIT that hangs is reported after the limit; until then the gauges state what waits")
    func stalled() async throws {
        try await FaultyDisk.serving { (disk: FaultyDisk, served: ServedLedger) async throws in
            _ = try await served.append([first])
            #expect(served.ledger.log.writingSince == nil)
            disk.hang()
            async let hanging = served.append([second])
            while !disk.isAwaited { await Task.yield() }
            let waiting = await gauges(served)
            let since = served.ledger.log.writingSince
            let last = since?.advanced(by: ServedLedger.stallLimit) ?? .now
            let codes = await [
                served.obstacleCode(at: last.advanced(by: .nanoseconds(-1))),
                served.obstacleCode(at: last),
            ]
            disk.answer()
            #expect(since != nil)
            #expect(codes == [nil, "appendStalled"])
            #expect(waiting["append_queue_events"] == 1 && waiting["lag_positions"] == 1)
            #expect(waiting["append_queue_bytes"] ?? 0 > 0)
            #expect(try await hanging == [.appended(position: 2)])
            let answered = await gauges(served)
            #expect(served.ledger.log.writingSince == nil)
            #expect(await served.obstacleCode(at: last) == nil)
            #expect(answered["append_queue_events"] == 0 && answered["append_queue_bytes"] == 0)
            // Nothing is projected here.
            #expect(answered["lag_positions"] == 2)
            #expect(answered["lag_seconds"] ?? 0 > 0)
        }
    }

    @Test("A log that hangs during a probe does not block the projector")
    func hangingTry() async throws {
        try await FaultyDisk.serving { (disk: FaultyDisk, served: ServedLedger) async throws in
            _ = try await served.append([first])
            disk.fill(true)
            await #expect(throws: StoreError.self) { try await served.append([second]) }
            disk.fill(false)
            disk.hang()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    await ProjectionLoop(served: served).run()
                }
                while !disk.isAwaited { await Task.yield() }
                // Another process appends: the log's lock is free.
                let other = try await EventLog.open(
                    directory: served.ledger.directory, faults: nil,
                    busyTimeoutSeconds: 5)
                #expect(try await other.append([second]) == [.appended(position: 2)])
                await other.close()
                let snapshot = try? await served.snapshot(atLeast: 2, limit: .seconds(600))
                #expect(snapshot?.position == 2)
                #expect(await served.obstacleCode() == "commitOutcomeUnknown")
                disk.answer()
                served.stop()
                try await group.waitForAll()
            }
        }
    }
}
