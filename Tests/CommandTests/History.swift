import Foundation
import LedgerTestSupport
import Simulator
import TestSupport

/// A simulated history as lines that `ingest` takes, signed once for all tests.
enum History {
    static let count = Soak.count(120, soak: 200)

    /// In order of arrival. The app is `Evidence.app`.
    static func lines() async throws -> [String] { try await shared.value }

    private static let shared = Task {
        var bytes: [UInt8] = []
        try await SignedHistory(
            HistoryPlan(limit: .events(count)), authority: TestAuthority.shared
        ).emit { bytes += $0.lines }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
