import AppStore
import Intake
import Ledger
import Signing
import Simulator
import TestSupport

/// The receipts of the simulated customers, as a back end stored them.
package enum StoredReceipts {
    /// The day on which they were stored.
    package static let stored = AskedApple.now.advanced(byMilliseconds: -100 * 86_400_000)
    package static let reported = OriginalStoreKit(AskedApple.production)

    /// A ledger that trusts the receipts of this run.
    package static func place(apps: [String] = [MadeChain.app]) throws -> TemporaryLedger {
        var place = try TemporaryLedger(apps: apps)
        place.configuration.catalogue = .simulated
        place.roots = try TestAuthority.roots.adding(TestAuthority.receipts.rootDER)
        try place.share()
        return place
    }

    /// Lines of 64 characters.
    package static func broken(_ base64: [UInt8]) -> [UInt8] {
        stride(from: 0, to: base64.count, by: 64).map {
            Array(base64[$0..<min($0 + 64, base64.count)])
        }.inLines()
    }
}
