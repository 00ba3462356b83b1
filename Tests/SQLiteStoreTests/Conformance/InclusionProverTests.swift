import AppStore
import LedgerTestSupport
import TestSupport
import Testing

@testable import LedgerStore

/// `InclusionProver` over every engine that keeps whole logs.
@Suite("Proofs of the events of a log")
struct InclusionProverTests {
    private static let engines = [StoreEngine.sqlite] + StoreEngine.postgres

    private static func withLog(
        _ engine: StoreEngine, _ body: (any LedgerLog) async throws -> Void
    ) async throws {
        try await engine.withStore { store in
            try await body(try #require(store as? any LedgerLog))
        }
    }

    @Test("An event that the log does not hold is not proven", arguments: engines)
    func absent(_ engine: StoreEngine) async throws {
        try await InclusionProverTests.withLog(engine) { log in
            _ = try await log.append(Sample.events(0..<3))
            let prover = InclusionProver(log)
            let event = try #require(try await log.event(at: 2)?.event)
            #expect(try await prover.proof(of: event)?.isValid == true)
            for position: Int64 in [-1, 0, 1, 3, 4, .max] {
                let moved = RecordedEvent(
                    position: position, key: event.key, attributes: event.attributes,
                    receivedAt: event.receivedAt, receivedAtClaimed: event.receivedAtClaimed,
                    identity: event.identity, payloadHash: event.payloadHash,
                    evidenceHash: event.evidenceHash)
                #expect(try await prover.proof(of: moved) == nil, "\(position)")
            }
            let damaged = RecordedEvent(
                position: 2, key: event.key, attributes: event.attributes,
                receivedAt: event.receivedAt, receivedAtClaimed: event.receivedAtClaimed,
                identity: event.identity, payloadHash: event.payloadHash,
                evidenceHash: event.evidenceHash, leafHash: event.leafHash, isDamaged: true)
            #expect(try await prover.proof(of: damaged) == nil)
        }
    }

    @Test("Leaf hashes come in order, up to the end", arguments: engines)
    func leaves(_ engine: StoreEngine) async throws {
        try await InclusionProverTests.withLog(engine) { log in
            _ = try await log.append(Sample.events(0..<5))
            let all = try await log.allEvents().map(\.leafHash)
            #expect(try await log.leafHashes(after: 0, through: 5) == all)
            #expect(try await log.leafHashes(after: 1, through: 3) == Array(all[1..<3]))
            #expect(try await log.leafHashes(after: 3, through: 9) == Array(all[3...]))
            #expect(try await log.leafHashes(after: 5, through: 9).isEmpty)
        }
    }

    @Test("Events are proven while the log grows over the bounds of blocks", arguments: engines)
    func growing(_ engine: StoreEngine) async throws {
        try await InclusionProverTests.withLog(engine) { log in
            let prover = InclusionProver(log)
            let width = Int(LogLimits.provenBlockCount)
            var count = 0
            for end in [1, width - 1, width, width + 1, 2 * width, 2 * width + 3] {
                while count < end {
                    let next = min(end, count + LogLimits.batchEventCount)
                    _ = try await log.append(Sample.events(count..<next))
                    count = next
                }
                let places = [1, 2, width - 1, width, width + 1, 2 * width, end]
                for position in Set(places) where position <= end && position > 0 {
                    let event = try #require(try await log.event(at: Int64(position))?.event)
                    let proof = try #require(try await prover.proof(of: event))
                    #expect(proof.isValid, "\(position) of \(end)")
                    #expect(proof.treeSize == Int64(end))
                    #expect(proof.root == (try await log.head().root))
                }
            }
        }
    }
}
