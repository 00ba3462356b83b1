import AppStore
public import Signing

/// Benchmarks of app receipts. The caller provides the receipts; nothing here signs.
public struct ReceiptBench: Sendable {
    private let receipts: [[UInt8]]
    private let roots: TrustedRoots
    private let identity: AppIdentity

    /// - Parameters:
    ///   - receipts: in base64, as sent by devices.
    ///   - roots: the trust anchors of the receipts.
    ///   - identity: the app of the receipts.
    public init(receipts: [[UInt8]], roots: TrustedRoots, identity: AppIdentity) {
        self.receipts = receipts
        self.roots = roots
        self.identity = identity
    }

    /// Verifies receipts on one core, including base64, decoding and policy, against bare RSA
    /// verifications.
    public func verify(repetitions: Int) throws -> BenchRow {
        guard let first = receipts.first else { throw BenchProblem.noInput }
        let verifier = ReceiptVerifier(roots: roots)
        let now = Timestamp(milliseconds: 0)
        // Warms the certificate chain cache, as on any server after its first receipt.
        let bare = try BareReceiptVerification(first, verifier: verifier, receivedAt: now)
        _ = bare.run(count: 200)
        var (verified, bareCount) = (0, 0)
        var (elapsed, bareElapsed) = (Duration.zero, Duration.zero)
        let clock = ContinuousClock()
        // Alternates, so that other load on the machine affects both equally.
        while verified < repetitions {
            elapsed += try clock.measure {
                for receipt in receipts {
                    let accepted = try verifier.verify(receipt, receivedAt: now)
                    try identity.require(accepted)
                    verified += 1
                }
            }
            bareElapsed += clock.measure { bareCount += bare.run(count: receipts.count) }
        }
        guard bareCount > 0 else { throw BenchProblem.refused }
        return BenchRow(
            name: "receipts", value: Double(verified) / elapsed.seconds, unit: "receipts/s",
            limitName: "bare RSA-2048 verification",
            limit: Double(bareCount) / bareElapsed.seconds, events: verified)
    }
}
