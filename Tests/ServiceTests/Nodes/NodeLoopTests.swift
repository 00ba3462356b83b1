import AppStore
import AppStoreAPI
import Foundation
import LedgerStore
import LedgerTestSupport
import Projection
import Proofs
import TestSupport
import Testing

@testable import Service

/// What runs in the background of every node, beside one that has the lease.
@Suite("Background work of nodes", .postgres)
struct NodeLoopTests {
    /// Runs two nodes over a subscription whose renewal is missing; passes the first one, and the
    /// lease of the second one.
    private func beside(
        _ task: ExclusiveTask, _ body: (NodePlace, LedgerHost, KeptLease) async throws -> Void
    ) async throws {
        let place = try NodePlace()
        place.clock.set(AskedApple.now)
        try await place.run(count: 2) { nodes in
            let lease = KeptLease(task, in: try nodes[1].ledger(.production).ledger)
            let isTaken = try await lease.take()
            try #require(isTaken)
            let position = try await nodes[0].post(MadeChain().bought())
            _ = try await nodes[0].ledger(.production).snapshot(atLeast: position)
            try await body(place, nodes[0], lease)
        }
    }

    /// Runs a loop; waits for rounds of it without the lease, and for what it does with the lease.
    private func run(
        _ clock: ManualClock, _ lease: KeptLease, _ loop: @escaping @Sendable () async -> Void,
        isDone: () async throws -> Bool
    ) async throws {
        let running = Task { await loop() }
        defer { running.cancel() }
        // Three rounds, and the wait for the fourth.
        try await until { clock.waits.count > 3 }
        let isDoneWithout = try await isDone()
        #expect(!isDoneWithout)
        lease.release()
        try await until(isDone)
        running.cancel()
        await running.value
    }

    @Test("While another node has the lease no chain is reconciled")
    func reconcile() async throws {
        let apple = try AskedApple()
        try await beside(.reconcile) { _, node, lease in
            let clock = ManualClock(AskedApple.now)
            let loop = ReconcileLoop(
                node, clients: [AskedApple.app: apple.client], clock: clock
            ) { _ in }
            try await run(clock, lease, { await loop.run() }) { !apple.transport.sent.isEmpty }
        }
    }

    @Test("While another node has the lease no outage is looked for, and nothing swept")
    func recovery() async throws {
        let apple = try AskedApple()
        // The first request is enough.
        apple.transport.cut(after: 1)
        try await beside(.recoveryWatch) { _, node, lease in
            let watch = RecoveryWatch(
                host: node, clients: [apple.client], clock: apple.clock
            ) { _ in }
            for _ in 0..<3 { await watch.check() }
            #expect(apple.transport.sent.isEmpty)
            lease.release()
            try await until {
                await watch.check()
                return !apple.transport.sent.isEmpty
            }
        }
    }

    @Test("While another node has the lease no checkpoint is signed")
    func checkpoints() async throws {
        let origin = "example.com/subledger/production"
        try await beside(.checkpoints) { place, node, lease in
            let file = place.directory.file("audit.key")
            let key = try NoteSignerKey(name: origin).secretText
            try Data(key.utf8).write(to: URL(filePath: file))
            let operations = try node.ledger(.production).ledger.operations
            let clock = ManualClock(AskedApple.now)
            let loop = try CheckpointLoop(
                .init(environment: .production, origin: origin, keyFile: file), host: node,
                transport: Receiver(), clock: clock
            ) { _ in }
            try await run(clock, lease, { await loop.run() }) {
                try await !operations.checkpoints(after: 0, limit: 1).isEmpty
            }
        }
    }
}
