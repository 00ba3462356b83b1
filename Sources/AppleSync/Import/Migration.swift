public import AppStore
public import Intake
import Ledger
public import LedgerStore
internal import Projection
public import Signing

/// Brings customers of original StoreKit over: takes in what was stored of them, and finds out whom
/// to ask Apple about (`LedgerService.docc`, Coming from verifyReceipt). The asking itself is
/// `Backfill`'s.
public struct Migration: Sendable {
    private let apps: [Configuration.App]
    /// Only of this one; nil: Production and Sandbox, each by itself.
    private let only: Environment?

    /// - Parameters:
    ///   - apps: whose evidence is accepted.
    ///   - only: leaves the other environments out; nil takes Production and Sandbox.
    public init(apps: [Configuration.App], only: Environment? = nil) {
        self.apps = apps
        self.only = only
    }

    // MARK: Reading

    /// Reads every file below a directory; nothing is written or believed. One that cannot be used
    /// is named and never stops the rest.
    ///
    /// - Parameter report: told now and then how many files were read.
    public func read(
        _ directory: String, report: @Sendable (Int) -> Void = { _ in }
    ) async throws(MigrationProblem) -> StoredEvidence {
        let files = try await EvidenceFolder.files(in: directory)
        var evidence = StoredEvidence(directory: directory, files: files)
        for (index, file) in files.enumerated() {
            report(index)
            var found = 0
            var bad: [StoredEvidence.BadInput] = []
            do throws(LineReader.Failure) {
                let reader = StoredFileReader(path: "\(directory)/\(file)", name: file)
                reading: while true {
                    let pieces = try await reader.next()
                    if pieces.isEmpty { break }
                    for piece in pieces {
                        do throws(UnreadableInput) {
                            try take(StoredPiece(piece, name: piece.name ?? file), &evidence)
                            found += 1
                        } catch { bad.append(StoredEvidence.BadInput(error)) }
                        if found == 0, bad.count >= MigrationLimits.barrenLineCount {
                            break reading
                        }
                        // The lines of a list are no evidence each.
                        if found == 0, bad.first?.code == StoredPiece.listCode { break reading }
                    }
                }
                if found == 0, bad.count != 1 { bad = [Migration.barren(file, bad.count)] }
            } catch {
                bad.append(
                    StoredEvidence.BadInput(
                        input: file, code: "unreadableInput",
                        message: "It cannot be read: \(error.reason)."))
            }
            for one in bad { evidence.add(one) }
        }
        return evidence
    }

    private static func barren(_ file: String, _ lines: Int) -> StoredEvidence.BadInput {
        StoredEvidence.BadInput(
            input: file, code: VerificationCode.undecodablePayload.rawValue,
            message: lines == 0
                ? "The file is empty."
                : "None of its first \(lines) lines holds anything of original StoreKit; the rest"
                    + " was passed over.")
    }

    private func take(_ piece: StoredPiece, _ evidence: inout StoredEvidence) {
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
            piece.ids, to: MigrationScope(bundleId: app, environment: environment))
    }

    /// Whose ledger it goes into; nil for one that is not meant. What names none is of the one that
    /// is asked about, usually Production.
    private func environment(of piece: StoredPiece) -> Environment? {
        let named = piece.environment ?? only ?? .production
        guard named == .production || named == .sandbox else { return nil }
        return only == nil || only == named ? named : nil
    }

    private func app(of piece: StoredPiece) -> BundleId? {
        guard let named = piece.bundleId else { return apps.count == 1 ? apps[0].bundleId : nil }
        return apps.contains { $0.bundleId == named } ? named : nil
    }

    // MARK: Taking in

    /// Verifies and appends what the files hold, each piece in the ledger of its environment. What
    /// was appended before is known: a run that was ended is repeated without harm.
    ///
    /// - Parameters:
    ///   - evidence: what was read of them.
    ///   - books: the ledgers.
    ///   - verifier: says what is believed.
    ///   - report: told after each batch.
    public func take(
        _ evidence: StoredEvidence, into books: AnswerBooks, verifier: EvidenceVerifier,
        report: @Sendable (IngestSummary) -> Void = { _ in }
    ) async throws(StoreError) -> IngestSummary {
        var total = IngestSummary()
        var waiting: [Environment: [InputChunk]] = [:]
        var (count, byteCount) = (0, 0)
        for file in evidence.files {
            let reader = StoredFileReader(
                path: "\(evidence.directory)/\(file)", name: file)
            var found = 0
            var barren = 0
            // What cannot be read has been named when whom it names was read.
            reading: while let pieces = try? await reader.next(), !pieces.isEmpty {
                for piece in pieces {
                    if found == 0, barren >= MigrationLimits.barrenLineCount { break reading }
                    guard let stored = try? StoredPiece(piece, name: file) else {
                        barren += 1
                        continue
                    }
                    found += 1
                    guard stored.form != .transactionReceipt,
                        let environment = environment(of: stored)
                    else { continue }
                    waiting[environment, default: []].append(piece)
                    count += 1
                    byteCount += piece.bytes.count
                }
                if count >= MigrationLimits.piecesPerBatch
                    || byteCount >= MigrationLimits.bytesPerBatch
                {
                    try await append(&waiting, books, verifier, &total)
                    (count, byteCount) = (0, 0)
                    report(total)
                }
            }
        }
        try await append(&waiting, books, verifier, &total)
        report(total)
        return total
    }

    private func append(
        _ waiting: inout [Environment: [InputChunk]], _ books: AnswerBooks,
        _ verifier: EvidenceVerifier, _ total: inout IngestSummary
    ) async throws(StoreError) {
        for environment in [Environment.production, .sandbox] {
            guard let pieces = waiting[environment] else { continue }
            let ingest = Ingest(
                ledger: try await books.ledger(environment), apps: apps, verifier: verifier,
                source: .import, clock: books.clock)
            let summary = try await ingest.run(pieces)
            total.add(summary)
            total.position = max(total.position, summary.position)
        }
        waiting = [:]
    }
}
