import AppStore
import Foundation
import Intake
import Ledger
import LedgerTestSupport
import Simulator

/// A ledger of simulated lives, ingested in parts and out of order.
struct MetricsWorld: Sendable {
    let ledger: TemporaryLedger
    /// In the order of ingestion.
    let lines: [[UInt8]]

    init(lives: ClosedRange<UInt64>, seed: UInt64) throws {
        try self.init(try MetricsWorld.lines(lives, seed: seed))
    }

    /// - Parameter reportTimeZone: the zone of the stored sums.
    init(_ lines: [[UInt8]], reportTimeZone: String = "UTC") throws {
        var ledger = try TemporaryLedger()
        ledger.configuration.reportTimeZone = reportTimeZone
        self.lines = lines
        self.ledger = ledger
    }

    /// The evidence of simulated lives, shuffled.
    static func lines(_ lives: ClosedRange<UInt64>, seed: UInt64) throws -> [[UInt8]] {
        let signer = DeliverySigner(authority: TestAuthority.shared, appAppleId: 1_234_567_890)
        let world = SubscriberWorld()
        var lines: [[UInt8]] = []
        for life in lives.map({ world.life(seed: $0) }) where life.environment == .production {
            lines += try life.deliveries.map { try signer.line($0) }
        }
        var chance = SeededGenerator(seed: seed)
        return lines.shuffled(using: &chance)
    }

    /// Ingests the nth of `count` parts.
    func take(_ piece: Int, of count: Int) async throws {
        let bounds = (0...count).map { $0 * lines.count / count }
        _ = try await ledger.ingest(Array(lines[bounds[piece]..<bounds[piece + 1]]))
    }
}
