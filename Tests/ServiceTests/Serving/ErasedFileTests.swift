import AppStore
import Foundation
import LedgerTestSupport
import Projection
import Queries
import SQLiteStore
import TestSupport
import Testing

@testable import Service

@Suite("Files of the time before an erasure that a killed service left")
struct ErasedFileTests {
    private let chain = MadeChain()
    private let other = MadeChain(id: "500000000000009")

    @Test("A service to which nothing new comes removes them: at its start, and by the same order")
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
        func left() -> [String] { paths.filter { FileManager.default.fileExists(atPath: $0) } }
        func putBack() throws {
            #expect(left().isEmpty)
            for (path, bytes) in zip(paths, before) { try bytes.write(to: URL(filePath: path)) }
        }
        // Fails after half a minute.
        func waitUntilRemoved() async throws {
            for _ in 0..<600 where !left().isEmpty {
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(left().isEmpty)
        }
        #expect(before.count == 2)
        try putBack()
        try await Gate.ledgers.pass {
            let host = try await LedgerHost.open(
                ServiceConfiguration(place.configuration), environments: [place.environment],
                roots: place.roots, steady: nil, waitLimit: .seconds(120)
            ) { TemporaryLedger.end }
            async let running: Void = host.run()
            let result = await Result { () async throws -> Void in
                // when, then
                try await waitUntilRemoved()
                try putBack()
                let receipt = try await host.erase(
                    chains: [chain.id], customer: nil, TemporaryLedger.erasing, QueryScope())
                #expect(receipt.plan == nil && receipt.position == 3)
                try await waitUntilRemoved()
            }
            host.stop()
            await running
            try result.get()
        }
    }
}
