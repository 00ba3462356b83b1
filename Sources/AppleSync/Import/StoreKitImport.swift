public import AppStore
public import Intake
import Ledger
public import LedgerStore
internal import Projection
public import Signing

/// Migrates customers of original StoreKit: imports stored evidence of them, and finds the ids to
/// request from Apple (`OriginalStoreKit.md`). `Backfill` sends the requests.
public struct StoreKitImport: Sendable {
    private let apps: [Configuration.App]
    /// Only this environment; nil: Production and Sandbox, separately.
    private let only: Environment?

    /// `only` excludes other environments; nil accepts Production and Sandbox.
    public init(apps: [Configuration.App], only: Environment? = nil) {
        self.apps = apps
        self.only = only
    }

    // MARK: Reading

    /// Reads every file below a directory without verifying or writing. An unusable file is
    /// reported and does not stop the rest. `report` receives the number of files read so far.
    public func read(
        _ directory: String, report: @Sendable (Int) -> Void = { _ in }
    ) async throws(InputProblem) -> StoredEvidence {
        let contents = try await EvidenceDirectory.contents(of: directory)
        var evidence = StoredEvidence(directory: directory, files: contents.files)
        for name in contents.unnamed {
            evidence.add(
                IngestError(
                    input: name, code: "unreadableInput",
                    message: "Its name is not UTF-8; rename it."))
        }
        for (index, file) in contents.files.enumerated() {
            report(index)
            await read(file, into: &evidence)
        }
        return evidence
    }

    /// Reads one file. What is unusable before its first evidence is held back: where none follows,
    /// one error stands for all of it.
    private func read(_ file: String, into evidence: inout StoredEvidence) async {
        var held: [IngestError] = []
        var hasEvidence = false
        do throws(LineReader.Failure) {
            let reader = StoredFileReader(path: "\(evidence.directory)/\(file)", name: file)
            while true {
                let pieces = try await reader.next()
                if pieces.isEmpty { break }
                for piece in pieces {
                    switch piece.document {
                    case .success(let document):
                        take(document, &evidence)
                        hasEvidence = true
                        for error in held { evidence.add(error) }
                        held = []
                    case .failure(let error) where hasEvidence: evidence.add(error)
                    case .failure(let error): held.append(error)
                    }
                }
            }
            if !hasEvidence, held.count != 1 { held = [StoreKitImport.barren(file, held.count)] }
        } catch {
            held.append(StoreKitImport.unreadable(file, error))
        }
        for error in held { evidence.add(error) }
    }

    private static func unreadable(_ file: String, _ failure: LineReader.Failure) -> IngestError {
        IngestError(
            input: file, code: "unreadableInput",
            message: "It cannot be read: \(failure.reason).")
    }

    private static func barren(_ file: String, _ lines: Int) -> IngestError {
        IngestError(
            input: file, code: VerificationCode.undecodablePayload.rawValue,
            message: lines == 0
                ? "The file is empty."
                : "None of its first \(lines) lines is evidence of original StoreKit; the rest was"
                    + " skipped.")
    }

    private func take(_ piece: StoredDocument, _ evidence: inout StoredEvidence) {
        evidence.count(piece.form)
        guard let environment = environment(of: piece) else {
            evidence.otherEnvironments += 1
            return
        }
        guard let app = app(of: piece) else {
            evidence.otherApps[piece.bundleId ?? BundleId(""), default: 0] += 1
            return
        }
        evidence.add(
            piece.ids, to: ImportScope(bundleId: app, environment: environment))
    }

    /// The environment of a piece; nil for one that is excluded. A piece without an environment
    /// belongs to the requested one, by default Production.
    private func environment(of piece: StoredDocument) -> Environment? {
        let named = piece.environment ?? only ?? .production
        guard named == .production || named == .sandbox else { return nil }
        return only == nil || only == named ? named : nil
    }

    private func app(of piece: StoredDocument) -> BundleId? {
        guard let named = piece.bundleId else { return apps.count == 1 ? apps[0].bundleId : nil }
        return apps.contains { $0.bundleId == named } ? named : nil
    }

    // MARK: Import

    /// Verifies and appends the contents of the files that `read` found, each piece in the ledger
    /// of its environment. Known events are skipped, so an interrupted run can be repeated. A file
    /// that can no longer be read is an error of the summary. `report` is called after each batch.
    public func take(
        _ evidence: StoredEvidence, into ledgers: EnvironmentLedgers, verifier: EvidenceVerifier,
        report: @Sendable (IngestSummary) -> Void = { _ in }
    ) async throws(StoreError) -> IngestSummary {
        var total = IngestSummary()
        var waiting: [Environment: [InputChunk]] = [:]
        var (count, byteCount) = (0, 0)
        for file in evidence.files {
            let reader = StoredFileReader(
                path: "\(evidence.directory)/\(file)", name: file)
            while true {
                let pieces: [StoredFileReader.Piece]
                do throws(LineReader.Failure) { pieces = try await reader.next() } catch {
                    let bad = StoreKitImport.unreadable(file, error)
                    // `read` may have reported it.
                    if !evidence.badInputs.contains(bad) {
                        total.rejected += 1
                        total.add(bad)
                    }
                    break
                }
                if pieces.isEmpty { break }
                for piece in pieces {
                    // `read` has already reported unusable pieces.
                    guard case .success(let document) = piece.document,
                        document.form != .transactionReceipt, app(of: document) != nil,
                        let environment = environment(of: document)
                    else { continue }
                    waiting[environment, default: []].append(piece.chunk)
                    count += 1
                    byteCount += piece.chunk.bytes.count
                }
                if count >= ImportLimits.piecesPerBatch
                    || byteCount >= ImportLimits.bytesPerBatch
                {
                    try await append(&waiting, ledgers, verifier, &total)
                    (count, byteCount) = (0, 0)
                    report(total)
                }
            }
        }
        try await append(&waiting, ledgers, verifier, &total)
        report(total)
        return total
    }

    private func append(
        _ waiting: inout [Environment: [InputChunk]], _ ledgers: EnvironmentLedgers,
        _ verifier: EvidenceVerifier, _ total: inout IngestSummary
    ) async throws(StoreError) {
        for environment in [Environment.production, .sandbox] {
            guard let pieces = waiting[environment] else { continue }
            let ingest = Ingest(
                ledger: try await ledgers.ledger(environment), apps: apps, verifier: verifier,
                source: .import, clock: ledgers.clock)
            total.add(try await ingest.run(pieces))
        }
        waiting = [:]
    }
}
