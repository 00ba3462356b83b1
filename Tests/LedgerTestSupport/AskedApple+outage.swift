import AppStore
import Simulator
import TestSupport

extension AskedApple {
    /// 2026-04-01: notifications that Apple sent from then on did not arrive.
    package static let outage = Timestamp(milliseconds: 1_775_001_600_000)

    /// Everything Apple sent by now, signed, with its time.
    package static let sent: [(signed: Timestamp, line: [UInt8])] = {
        var stream = HistoryStream(AskedApple.productionPlan)
        var sent: [(signed: Timestamp, line: [UInt8])] = []
        while case let page = stream.next(), !page.isEmpty {
            for entry in page {
                guard case .notification = entry.delivery.evidence,
                    let signed = entry.delivery.signedDate, signed <= AskedApple.now,
                    let line = try? TestAuthority.signer.line(entry.delivery)
                else { continue }
                sent.append((signed, line))
            }
        }
        return sent
    }()

    /// A ledger with what Apple sent before the outage.
    package static func ledger(until end: Timestamp = AskedApple.outage) async throws
        -> TemporaryLedger
    {
        guard end == outage else { return try await filled(until: end) }
        return try await beforeOutage.value.copied()
    }

    /// Filled once for all tests, which get copies.
    private static let beforeOutage = Task {
        let place = try await filled(until: outage, in: try TemporaryDirectory.shared())
        // The copies are projected, too.
        try await place.session { _ in }
        return place
    }

    private static func filled(
        until end: Timestamp, in directory: TemporaryDirectory? = nil
    ) async throws -> TemporaryLedger {
        let place = try TemporaryLedger(in: directory)
        _ = try await place.ingest(sent.filter { $0.signed < end }.map(\.line))
        return place
    }
}
