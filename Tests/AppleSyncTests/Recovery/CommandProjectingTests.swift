import AppStore
import AppleSync
import Foundation
import Intake
import LedgerTestSupport
import Projection
import SQLiteStore
import TestSupport
import Testing

@Suite("Derived data of a command that takes several snapshots")
struct CommandProjectingTests {
    @Test("A snapshot is opened again only when the log grew, and the remarks of each are kept")
    func snapshots() async throws {
        let place = try TemporaryLedger()
        let chain = MadeChain()
        _ = try await place.ingest([chain.bought()])
        let input = try place.directory.write([chain.renewed(1).line()].inLines(), to: "more")
        try await place.ledger { ledger in
            let projecting = CommandProjecting(ledger) { _ in }
            let first = try await projecting.snapshot()
            #expect(first.position == 1)
            // Missing files are found, and reported, by the next catch-up.
            try FileManager.default.removeItem(atPath: first.projections.path)
            #expect(try await projecting.snapshot().projections === first.projections)
            #expect(await projecting.remarks.isEmpty)
            let now = place.now
            let ingest = Ingest(
                ledger: ledger, apps: place.configuration.apps, verifier: place.verifier
            ) { now }
            #expect(try await ingest.run(paths: [input]).appended == 1)
            #expect(try await projecting.snapshot().position == 2)
            #expect(await projecting.remarks.count == 1)
            await projecting.close()
        }
    }
}
