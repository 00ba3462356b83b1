import AppStore
import Foundation
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import TestSupport
import Testing

@testable import Service

@Suite("Files of the time before an erasure")
struct ErasedFileTests {
    private let chain = MadeChain()
    private let other = MadeChain(id: "500000000000009")

    private func left(_ paths: [String]) -> [String] {
        paths.filter { FileManager.default.fileExists(atPath: $0) }
    }

    /// Fails after half a minute.
    private func waitUntilRemoved(_ paths: [String]) async throws {
        for _ in 0..<600 where !left(paths).isEmpty {
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(left(paths).isEmpty)
    }

    @Test("A service removes what a killed one left: at its start, and by the same order")
    func removed() async throws {
        // given
        let place = try TemporaryLedger()
        _ = try await place.ingest([chain.bought(), other.bought()])
        let paths = try await place.session { session in
            let ledger = session.ledger
            return [ledger.factsFiles, ledger.projectionFiles].compactMap { $0.current() }
        }
        let before = paths.compactMap { FileManager.default.contents(atPath: $0) }
        try await place.erase(chains: [chain.id])
        func putBack() throws {
            #expect(left(paths).isEmpty)
            for (path, bytes) in zip(paths, before) { try bytes.write(to: URL(filePath: path)) }
        }
        #expect(before.count == 2)
        try putBack()
        try await place.serve(waitLimit: .seconds(120)) { host in
            // when, then
            try await waitUntilRemoved(paths)
            try putBack()
            let receipt = try await host.erase(
                chains: [chain.id], customer: nil, TemporaryLedger.erasing, QueryScope())
            #expect(receipt.plan == nil && receipt.position == 3)
            try await waitUntilRemoved(paths)
        }
    }

    @Test("Those that a report has open are removed once it ends, without a new event")
    func heldOpen() async throws {
        let place = try TemporaryLedger()
        _ = try await place.ingest([chain.bought(), other.bought()])
        try await place.serve(waitLimit: .seconds(120)) { host in
            // given
            let served = try host.ledger(place.environment)
            let report = try await served.snapshot(atLeast: 2)
            let paths = [report.facts.path, report.projections.path]
            _ = try await host.erase(
                chains: [chain.id], customer: nil, TemporaryLedger.erasing, QueryScope())
            _ = try await served.snapshot(atLeast: 3)
            // Until the projector is closed.
            try await Task.sleep(for: ProjectionLoop.idleLimit * 3)
            #expect(left(paths) == paths)
            // when
            try report.facts.close()
            try report.projections.close()
            // then
            try await waitUntilRemoved(paths)
        }
    }
}
