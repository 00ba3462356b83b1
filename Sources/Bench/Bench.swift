public import AppStore
import Foundation
public import Intake
import Ledger
internal import Projection
internal import SQLiteStore
public import Signing
internal import Simulator

/// Benchmarks of verification and ingest. The caller provides signed lines; nothing here signs.
public struct Bench: Sendable {
    /// The path of a file of lines in the format of `ingest`.
    let file: String
    /// A sample of its lines.
    let sample: [[UInt8]]
    let roots: TrustedRoots
    let apps: [Configuration.App]
    let environment: Environment

    public init(
        file: String, sample: [[UInt8]], roots: TrustedRoots, apps: [Configuration.App],
        environment: Environment
    ) {
        self.file = file
        self.sample = sample
        self.roots = roots
        self.apps = apps
        self.environment = environment
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
        let bare = try BareVerification(first, verifier: verifier.jws)
        _ = bare.run(count: 200)
        var verified = 0
        var elapsed = Duration.zero
        var bareElapsed = Duration.zero
        var bareCount = 0
        let clock = ContinuousClock()
        // Alternates, so that other load on the machine affects both equally.
        while verified < repetitions {
            elapsed += try clock.measure {
                for token in tokens.prefix(256) {
                    let notification = try verifier.verifyNotification(token, receivedAt: now)
                    try identity.require(notification)
                    verified += 1
                }
            }
            bareElapsed += clock.measure { bareCount += bare.run(count: 3 * 64) }
        }
        return BenchRow(
            name: "verify", value: Double(verified) / elapsed.seconds, unit: "notifications/s",
            limitName: "three bare P-256 verifications",
            limit: Double(bareCount) / 3 / bareElapsed.seconds, events: verified)
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
        let scratch = try await ScratchLedger.open(
            environment: environment, apps: apps, roots: roots
        ) {
            Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        }
        let verifier = EvidenceVerifier(roots: roots)
        let ingest = Ingest(ledger: scratch.ledger, apps: apps, verifier: verifier) {
            Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        }
        let clock = ContinuousClock()
        let started = clock.now
        let summary = try await ingest.run(paths: [file])
        let appended = clock.now - started
        let session = try await scratch.session()
        let total = clock.now - started
        guard summary.isClean, session.head == summary.position else { throw BenchProblem.refused }
        try session.projections.close()
        await scratch.remove()
        let count = Double(summary.read)
        return [
            BenchRow(
                name: "ingest", value: count / total.seconds, unit: "events/s",
                events: Int(summary.read)),
            BenchRow(
                name: "ingest.append", value: count / appended.seconds, unit: "events/s",
                events: Int(summary.read)),
        ]
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
