import AppStore
import Foundation
internal import Intake
import Ledger
internal import LedgerStore
internal import Projection
internal import Queries
internal import SQLiteStore
internal import Signing
public import Simulator

/// Benchmarks of verification and ingest, on signed notifications of seeded lives.
public struct Bench: Sendable {
    /// The path of a file of lines in the format of `ingest`.
    let file: String
    /// A sample of its lines.
    let sample: [[UInt8]]
    let roots: TrustedRoots
    let apps: [Configuration.App]
    let environment = Environment.production

    /// Number of lines kept in memory and verified repeatedly.
    private static let sampleCount = 1_024

    /// Signs `count` deliveries into a file of the folder.
    ///
    /// - Parameters:
    ///   - sharedSecretFile: of the app.
    ///   - report: is called with the number of lines written.
    public init(
        count: Int, authority: Authority, folder: String, sharedSecretFile: String? = nil,
        report: (Int) -> Void
    ) throws {
        let world = SubscriberWorld()
        file = "\(folder)/notifications.ndjson"
        roots = try TrustedRoots.apple.adding(authority.rootDER)
        apps = [
            Configuration.App(
                bundleId: world.bundleId, appAppleId: world.appAppleId,
                sharedSecretFile: sharedSecretFile)
        ]
        try Data().write(to: URL(filePath: file))
        let handle = try FileHandle(forWritingTo: URL(filePath: file))
        defer { try? handle.close() }
        let signer = DeliverySigner(authority: authority)
        var sample: [[UInt8]] = []
        var (written, seed): (Int, UInt64) = (0, 0)
        while written < count {
            seed += 1
            let life = world.life(seed: seed)
            guard life.environment == environment else { continue }
            for delivery in life.deliveries.prefix(count - written) {
                let line = try signer.line(delivery)
                try handle.write(contentsOf: line + Array("\n".utf8))
                if sample.count < Bench.sampleCount { sample.append(line) }
                written += 1
            }
            report(written)
        }
        self.sample = sample
    }

    /// The notifications of the file, as request bodies.
    public func bodies() throws -> [[UInt8]] {
        let data = try Data(contentsOf: URL(filePath: file), options: .mappedIfSafe)
        return data.split(separator: UInt8(ascii: "\n")).map { Array($0) }.filter {
            Bench.token($0) != nil
        }
    }

    // MARK: Verify

    /// Verifies notifications with three signatures on one core, against three bare P-256
    /// verifications.
    public func verify(repetitions: Int) throws -> BenchRow {
        let verifier = EvidenceVerifier(roots: roots)
        let tokens = sample.compactMap { Bench.token($0) }.filter { Bench.hasThreeParts($0) }
        guard let first = tokens.first, let app = apps.first else { throw BenchProblem.noInput }
        let identity = AppIdentity(
            bundleId: app.bundleId, appAppleId: app.appAppleId, environment: environment)
        let now = Timestamp(milliseconds: 0)
        // Warms the certificate chain cache, as on any server after its first notification.
        _ = try verifier.verifyNotification(first, receivedAt: now)
        let pair = try PrivateKey(generating: .p256)
        let (signature, digest) = (try pair.signES256(first), SHA256.hash(first))
        guard let bare = VerificationKey(publicKeyInfo: pair.publicKeyInfo),
            bare.isValid(signature, over: digest)
        else { throw BenchProblem.refused }
        return try Bench.rate(
            "verify", "notifications/s", against: "three bare P-256 verifications",
            repetitions: repetitions
        ) {
            for token in tokens.prefix(256) {
                try identity.require(try verifier.verifyNotification(token, receivedAt: now))
            }
            return min(tokens.count, 256)
        } beside: {
            (0..<3 * 64).count { _ in bare.isValid(signature, over: digest) } / 3
        }
    }

    /// The rate per second of some work, against that of other work. Both alternate, so that other
    /// load on the machine affects both equally.
    ///
    /// - Parameters:
    ///   - repetitions: of the work, at least.
    ///   - work: returns how often it was done.
    ///   - limit: likewise.
    static func rate(
        _ name: String, _ unit: String, against limitName: String, repetitions: Int,
        _ work: () throws -> Int, beside limit: () throws -> Int
    ) throws -> BenchRow {
        var (count, limitCount) = (0, 0)
        var (elapsed, limitElapsed) = (Duration.zero, Duration.zero)
        let clock = ContinuousClock()
        while count < repetitions {
            elapsed += try clock.measure { count += try work() }
            limitElapsed += try clock.measure { limitCount += try limit() }
        }
        guard limitCount > 0 else { throw BenchProblem.refused }
        return BenchRow(
            name, Double(count) / elapsed.seconds, unit,
            against: .init(limitName, Double(limitCount) / limitElapsed.seconds), events: count)
    }

    static func token(_ line: [UInt8]) -> [UInt8]? {
        guard let body = try? JSONValue.parse(line), let text = body["signedPayload"]?.string
        else { return nil }
        return Array(text.utf8)
    }

    static func hasThreeParts(_ token: [UInt8]) -> Bool {
        guard let jws = try? CompactJWS(parsing: token),
            let payload = try? NotificationPayload.decode(jws.payload)
        else { return false }
        return payload.data?.signedTransactionInfo != nil
            && payload.data?.signedRenewalInfo != nil
    }

    // MARK: Ingest

    /// Ingests a file of lines end to end: read, verify on all cores, append, project.
    public func ingest() async throws -> [BenchRow] {
        let scratch = try await scratch()
        let verifier = EvidenceVerifier(roots: roots)
        let ingest = Ingest(ledger: scratch.ledger, apps: apps, verifier: verifier) {
            SystemClock().now
        }
        let started = ContinuousClock.now
        let summary = try await ingest.run(paths: [file])
        let appended = ContinuousClock.now - started
        let session = try await scratch.session()
        let total = ContinuousClock.now - started
        guard summary.isClean, session.head == summary.position else { throw BenchProblem.refused }
        try session.projections.close()
        await scratch.remove()
        let count = summary.read
        return [
            BenchRow("ingest", Double(count) / total.seconds, "events/s", events: count),
            BenchRow("ingest.append", Double(count) / appended.seconds, "events/s", events: count),
        ]
    }

    func scratch(
        clock: @escaping @Sendable () -> Timestamp = { SystemClock().now }
    ) async throws(StoreError) -> ScratchLedger {
        try await ScratchLedger.open(
            environment: environment, apps: apps, roots: roots, clock: clock)
    }
}

/// Why a measurement failed.
public enum BenchProblem: Error, Sendable {
    /// The lines contain no notification with three signatures.
    case noInput
    /// Generated input was rejected, so the figure would be invalid.
    case refused
    /// Another process projects in the scratch directory.
    case busy
    /// DuckDB's counts from the exported lines differ from the report.
    case different
}

extension Duration {
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
