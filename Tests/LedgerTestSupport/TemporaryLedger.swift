import AppStore
import Foundation
import Intake
import Ledger
import Projection
import Queries
import Signing
import Simulator
import TestSupport
import Testing

/// A data directory for one test, opened anew for every step as commands do.
package struct TemporaryLedger: Sendable {
    package let directory: TemporaryDirectory
    package var configuration: Configuration
    package var environment: Environment
    package var roots = TestAuthority.roots
    /// The clock of all steps: after every date the tests use.
    package var now = TemporaryLedger.end

    /// 2100-01-01.
    package static let end = Timestamp(milliseconds: 4_102_444_800_000)

    package init(
        environment: Environment = .production,
        apps: [String] = [MadeChain.app], in directory: TemporaryDirectory? = nil
    ) throws {
        let directory = try directory ?? TemporaryDirectory()
        self.directory = directory
        self.environment = environment
        configuration = Configuration(
            dataDirectory: directory.file("data"),
            apps: apps.map { Configuration.App(bundleId: BundleId($0)) })
        configuration.catalogue = StoryCheck.catalogue
    }

    /// A copy of this closed ledger, with its configuration and clock, in a directory of its own.
    package func copied(in directory: TemporaryDirectory? = nil) throws -> TemporaryLedger {
        var copy = try TemporaryLedger(environment: environment, in: directory)
        let data = copy.configuration.dataDirectory
        copy.configuration = configuration
        copy.configuration.dataDirectory = data
        copy.roots = roots
        copy.now = now
        try FileManager.default.copyItem(atPath: configuration.dataDirectory, toPath: data)
        return copy
    }

    package var environmentDirectory: String {
        configuration.dataDirectory + "/" + EnvironmentLedger.directoryName(environment)
    }

    package var verifier: EvidenceVerifier {
        let local: Set<Environment> =
            environment == .xcode || environment == .localTesting ? [environment] : []
        return EvidenceVerifier(roots: roots, allowedLocalEnvironments: local)
    }

    // MARK: Steps

    /// Opens the environment, passes it to `body` and closes it.
    package func ledger<Value>(_ body: (EnvironmentLedger) async throws -> Value) async throws
        -> Value
    {
        try await Gate.ledgers.pass {
            let ledger = try await EnvironmentLedger.open(configuration, environment: environment)
            let result = await Result { try await body(ledger) }
            await ledger.close()
            return try result.get()
        }
    }

    /// Opens the environment, catches up, passes the session to `body` and closes everything.
    package func session<Value>(_ body: (LedgerSession) async throws -> Value) async throws -> Value
    {
        try await Gate.ledgers.pass {
            let session = try await LedgerSession.open(configuration, environment: environment)
            let result = await Result { try await body(session) }
            await session.close()
            return try result.get()
        }
    }

    /// Ingests files as the command does.
    package func ingest(paths: [String]) async throws -> IngestSummary {
        try await ledger { ledger in
            let now = now
            let ingest = Ingest(
                ledger: ledger, apps: configuration.apps, verifier: verifier
            ) { now }
            return try await ingest.run(paths: paths)
        }
    }

    /// Ingests a file of these lines, named `input.ndjson`.
    package func ingest(_ lines: [[UInt8]]) async throws -> IngestSummary {
        try await ingest(file: lines.inLines())
    }

    package func ingest(_ deliveries: [MadeDelivery]) async throws -> IngestSummary {
        try await ingest(try deliveries.map { try $0.line() })
    }

    /// Ingests a file with exactly these bytes.
    package func ingest(file bytes: [UInt8]) async throws -> IngestSummary {
        try await ingest(paths: [try directory.write(bytes, to: "input.ndjson")])
    }

    // MARK: Questions

    package func moment(_ at: Timestamp? = nil, _ knowledge: AsOf = .everything) -> Moment {
        Moment(at: at, now: now, knowledge: knowledge)
    }

    package func show(
        _ id: String, at: Timestamp? = nil, knowledge: AsOf = .everything,
        bundleId: String? = nil
    ) async throws -> JSONValue {
        try await session { session in
            let reading = try await session.snapshot.reading(
                id, bundleId: bundleId.map { BundleId($0) }, moment: moment(at, knowledge))
            return try TemporaryLedger.json { reading.write(to: &$0) }
        }
    }

    package func timeline(
        _ id: String, at: Timestamp? = nil, knowledge: AsOf = .everything
    ) async throws -> JSONValue {
        try await session { session in
            let reading = try await session.snapshot.reading(id, moment: moment(at, knowledge))
            return try TemporaryLedger.json { reading.writeTimeline(to: &$0) }
        }
    }

    /// The output of an export, and the number of chunks.
    package func export(
        _ subject: Export.Subject, _ format: Export.Format = .ndjson, at: Timestamp? = nil,
        knowledge: AsOf = .everything,
        adjust: (inout Export) -> Void = { _ in }
    ) async throws -> String {
        try await session { session in
            var export = Export(snapshot: session.snapshot, moment: moment(at, knowledge))
            adjust(&export)
            var bytes: [UInt8] = []
            try await export.run(subject, format: format) { bytes += $0 }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    package func exportLines(
        _ subject: Export.Subject, at: Timestamp? = nil,
        knowledge: AsOf = .everything,
        adjust: (inout Export) -> Void = { _ in }
    ) async throws -> [JSONValue] {
        try await export(subject, at: at, knowledge: knowledge, adjust: adjust)
            .split(separator: "\n").map { try JSONValue.parse(Array($0.utf8)) }
    }

    package static func json(_ body: (inout JSONWriter) -> Void) throws -> JSONValue {
        var json = JSONWriter()
        body(&json)
        return try JSONValue.parse(json.bytes)
    }
}
