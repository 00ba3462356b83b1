import AppStore
import AppStoreAPI
import AppleSync
import ArgumentParser
import Intake
import LedgerStore
import Projection
import Queries

struct MigrateFromCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate-from", abstract: "Import customers from an earlier system.",
        subcommands: [VerifyReceiptCommand.self])

    struct VerifyReceiptCommand: OutputCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify-receipt",
            abstract: "From stored receipts and verifyReceipt responses to signed evidence.",
            discussion: """
                Reads every file below the directory in order of name: app receipts (binary or \
                base64), transaction receipts, saved verifyReceipt responses, bodies with \
                receipt-data, version 1 notifications, and NDJSON of any of these. Reports the \
                customers they name and the requests to Apple that these take; ingests them; \
                fetches statuses, transactions and refunds of each customer as `backfill` does; \
                and reports customers whose state differs from what their receipts said. After an \
                interruption the same command resumes. Exit code 1 when an input was unusable or \
                Apple gave no answer for a customer.
                """)

        @Argument(
            help: ArgumentHelp("Where the receipts are.", valueName: "dir"),
            completion: .directory)
        var directory: String

        @Flag(help: "Only print the plan; write nothing and send no requests.")
        var dryRun = false

        @Flag(help: "Discard the progress of an earlier run for the same customers.")
        var restart = false

        @Flag(
            inversion: .prefixedNo,
            help:
                "Also fetch refund histories, at a fifth of the rate; transactions state refunds, too."
        )
        var refunds = true

        @OptionGroup var access: APIOptions
        @OptionGroup var common: SharedOptions

        func output(_ settings: Settings) async throws -> Output {
            let migration = StoreKitImport(
                apps: try settings.requiredApps(),
                only: settings.isEnvironmentNamed ? settings.environment : nil)
            return try await MigrationRun(
                settings: settings, migration: migration, command: self
            ).run()
        }
    }
}

/// One run of `migrate-from verify-receipt`.
private struct MigrationRun {
    let settings: Settings
    let migration: StoreKitImport
    let command: MigrateFromCommand.VerifyReceiptCommand

    /// Results of the run, besides its plan.
    private struct Findings {
        let ingest: IngestSummary
        var reports: [(scope: ImportScope, list: IdList, report: BackfillReport)] = []
        var differences = StateDifferences()
        /// The failure to update derived data.
        var failure: (any Error)?

        /// The first failure that ended a backfill, with the apps that it concerns.
        var stop: CommandFailure? {
            guard let stop = reports.lazy.compactMap(\.report.stop).first else { return nil }
            let stopped = reports.filter { $0.report.stop?.code == stop.code }
            return CommandFailure(stop, about: Set(stopped.map(\.scope.bundleId)).sorted())
        }

        var isClean: Bool {
            ingest.isClean
                && reports.allSatisfy { $0.report.isComplete && $0.list.badLines.isEmpty }
        }
    }

    func run() async throws -> Output {
        let evidence = try await read()
        let plan = ImportPlan(evidence, includesRefunds: command.refunds)
        if !command.common.json {
            for bad in evidence.badInputs {
                Terminal.note("\(bad.input): \(bad.code): \(bad.message)".printable)
            }
            for line in plan.lines(evidence) { try Terminal.out(line.printable + "\n") }
        }
        var keys: [BundleId: APICredentials] = [:]
        let obstacle = command.dryRun ? nil : keyFailure(plan, &keys)
        let isPlanOnly = command.dryRun || obstacle != nil
        let findings = isPlanOnly ? nil : try await fulfil(plan, evidence, keys)
        return Output(
            text: text(findings), notes: findings?.ingest.notes ?? [],
            isClean: evidence.badInputCount == 0 && findings?.isClean ?? true,
            failure: obstacle ?? findings?.failure ?? findings?.stop
        ) { write(plan, evidence, findings, to: &$0) }
    }

    private func read() async throws -> StoredEvidence {
        let progress = ProgressLine()
        defer { progress.end() }
        return try await migration.read(command.directory) { count in
            progress.show("migrate-from: \(count.named("file", "files")) read")
        }
    }

    /// Reads the keys, once: a pipe cannot be read again. Returns the failure for apps without a
    /// key, for a key that is unusable, or for options of a key whose app is not named; nil if
    /// every app has a usable one.
    private func keyFailure(
        _ plan: ImportPlan, _ keys: inout [BundleId: APICredentials]
    ) -> CommandFailure? {
        var missing = Set(plan.parts.map(\.scope.bundleId))
        do {
            let apps = try settings.selectedApps(command.access)
            for app in apps where missing.contains(app.bundleId) {
                keys[app.bundleId] = try settings.credentials(of: app)
            }
            missing.subtract(apps.map(\.bundleId))
        } catch {
            let error = CommandFailure(error)
            let isMissing = error.code == ConfigurationError.Code.missingKey.rawValue
            guard isMissing, !missing.isEmpty else { return error }
        }
        guard !missing.isEmpty else { return nil }
        let names = missing.map(\.rawValue).sorted().joined(separator: ", ")
        return CommandFailure(
            ConfigurationError.Code.missingKey,
            "Only the plan was made: there is no In-App Purchase key for \(names)."
                + " List one under apps[].api, or give --key-id, --issuer-id and"
                + " --key-file, and run this again.", .configuration)
    }

    // MARK: Carrying out

    private func fulfil(
        _ plan: ImportPlan, _ evidence: StoredEvidence, _ keys: [BundleId: APICredentials]
    ) async throws -> Findings {
        try await settings.withApple(command.access, takesSeveral: true) { apple in
            var findings = try await fetch(plan, evidence, apple, keys)
            for ledger in apple.ledgers.takeOpened() {
                do { try await compare(plan, evidence, ledger, &findings) } catch {
                    await ledger.close()
                    findings.failure = CommandFailure.afterAppending(error)
                }
            }
            return findings
        }
    }

    /// Catches up a ledger and compares it with the stored evidence.
    private func compare(
        _ plan: ImportPlan, _ evidence: StoredEvidence, _ ledger: EnvironmentLedger,
        _ findings: inout Findings
    ) async throws {
        let session = try await settings.openReleasedSession(ledger)
        for part in plan.parts where part.scope.environment == ledger.environment {
            try await findings.differences.add(
                evidence.ids(of: part.scope), of: part.scope, in: session, now: Terminal.now)
        }
        await session.close()
    }

    private func fetch(
        _ plan: ImportPlan, _ evidence: StoredEvidence, _ apple: AppleAccess,
        _ keys: [BundleId: APICredentials]
    ) async throws -> Findings {
        let progress = ProgressLine()
        defer { progress.end() }
        let (clients, verifier) = (apple.clients(with: keys), try settings.verifier())
        // Before anything is written.
        let leases = try await apple.ledgers.backfillLeases(
            Set(plan.parts.map(\.scope.environment)))
        defer { withExtendedLifetime(leases) {} }
        var findings = Findings(
            ingest: try await migration.take(evidence, into: apple.ledgers, verifier: verifier) {
                let (read, position) = ($0.read, $0.position)
                progress.show("migrate-from: \(read) ingested, position \(position)")
            })
        for part in plan.parts {
            guard let client = clients[part.scope.bundleId] else { continue }
            let list = IdList(evidence.ids(of: part.scope))
            let ledger = try await apple.ledgers.ledger(part.scope.environment)
            let backfill = Backfill(
                client, ledgers: apple.ledgers, keptIn: ledger,
                in: .only(part.scope.environment), includesRefunds: command.refunds)
            let report = try await backfill.run(list, restarts: command.restart) { estimate in
                progress.show(estimate.text)
            } report: {
                progress.show($0)
            }
            findings.reports.append((part.scope, list, report))
            // Another app has another key, and another environment may respond.
            if let stop = report.stop, stop.concernsAllCustomers, !stop.isRefusedApp { break }
        }
        return findings
    }

    // MARK: Printing

    private func write(
        _ plan: ImportPlan, _ evidence: StoredEvidence, _ findings: Findings?,
        to json: inout JSONWriter
    ) {
        plan.write(to: &json, evidence)
        json.member("dryRun", command.dryRun)
        json.key("ingest")
        if let findings { findings.ingest.write(to: &json) } else { json.null() }
        json.objects("backfill", findings?.reports ?? []) { json, entry in
            entry.scope.writeMembers(to: &json)
            json.key("report")
            entry.report.write(
                to: &json, list: entry.list, environment: entry.scope.environment)
        }
        (findings?.differences ?? StateDifferences()).write(to: &json)
    }

    private func text(_ findings: Findings?) -> String {
        guard let findings else { return "nothing was written and no request was sent\n" }
        var lines = ["stored evidence: \(findings.ingest.countsText)"]
        lines += findings.reports.flatMap { $0.report.lines(list: $0.list) }
        lines += findings.differences.lines
        if !findings.reports.isEmpty {
            lines.append(
                "next: subledger recover --from <the day 180 days ago> fetches what else Apple sent,"
                    + " such as extensions that another renewal followed")
        }
        return lines.printableText
    }
}
