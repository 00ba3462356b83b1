public import AppStore
import AppStoreAPI
internal import AppleSync
import Foundation
internal import Intake
import Ledger
internal import LedgerStore
internal import Projection
internal import SQLiteStore
public import Signing

/// Checks everything an installation depends on and reports what is wrong.
public struct Doctor: Sendable {
    let configuration: ServiceConfiguration
    let environment: Environment
    let roots: TrustedRoots
    let now: Timestamp

    /// Free space below which doctor warns.
    static let comfortableFreeByteCount: Int64 = 2 * 1024 * 1024 * 1024
    /// The earliest plausible clock time: 2026-01-01.
    static let earliestPlausibleNow = Timestamp(milliseconds: 1_767_225_600_000)
    /// Days since the newest day of dated rates beyond which doctor warns: banks publish none on
    /// the four days of Easter, and a rate applies for `CurrencyRates.bridgedDayCount`.
    static let freshRateDayCount: Int64 = 5

    /// The result of one check.
    public struct Finding: Sendable, Equatable, JSONObjectWritable {
        public enum Level: String, Sendable {
            case good
            case warning
            case bad
        }

        public let level: Level
        public let subject: String
        public let message: String

        public init(_ level: Level, _ subject: String, _ message: String) {
            self.level = level
            self.subject = subject
            self.message = message
        }

        /// `good` with `message` if `check` passes, else `bad` with its error.
        public init<Failure: Error & CustomStringConvertible>(
            _ subject: String, passing message: String, _ check: () throws(Failure) -> Void
        ) {
            do throws(Failure) {
                try check()
                self.init(.good, subject, message)
            } catch { self.init(.bad, subject, error.description) }
        }

        public var text: String {
            let mark =
                switch level {
                case .good: "ok  "
                case .warning: "WARN"
                case .bad: "BAD "
                }
            return "\(mark) \(subject): \(message)"
        }

        public func writeMembers(to json: inout JSONWriter) {
            json.member("level", level.rawValue)
            json.member("subject", subject)
            json.member("message", message)
        }
    }

    public init(
        configuration: ServiceConfiguration, environment: Environment, roots: TrustedRoots,
        now: Timestamp
    ) {
        self.configuration = configuration
        self.environment = environment
        self.roots = roots
        self.now = now
    }

    /// Runs all checks, in a fixed order.
    public func examine() async -> [Finding] {
        var findings = apps() + trust() + secrets()
        findings += server()
        findings += openSecrets() + rates()
        findings += clock()
        findings.append(disk())
        findings += await files()
        return findings
    }

    // MARK: Configuration

    private func apps() -> [Finding] {
        guard !configuration.apps.isEmpty else {
            let message = "None is configured: the service does not start, and nothing is accepted."
            return [Finding(.bad, "apps", message)]
        }
        return configuration.apps.map { app in
            let subject = "app \(app.bundleId)"
            guard environment == .production, app.appAppleId == nil else {
                return Finding(.good, subject, "configured")
            }
            return Finding(
                .warning, subject,
                "appAppleId is missing: in Production it distinguishes your app from another that"
                    + " signs with the same bundle id.")
        }
    }

    private func trust() -> [Finding] {
        let extra = roots.fingerprints.filter { !TrustedRoots.isApple($0) }.sorted()
        guard !extra.isEmpty else { return [Finding(.good, "roots", "Apple Root CA - G3 only")] }
        let isProduction = environment == .production
        return extra.map { fingerprint in
            Finding(
                isProduction ? .warning : .good, "roots",
                "\(fingerprint.hexadecimal) is trusted besides Apple's root"
                    + (isProduction
                        ? ": in Production the holder of its key can forge events." : "."))
        }
    }

    private func rates() -> [Finding] {
        do throws(ConfigurationError) {
            guard let table = try configuration.rates() else { return [] }
            return [age(of: table) ?? Finding(.good, "rates", "usable")]
        } catch { return [Finding(.bad, "rates", error.description)] }
    }

    /// The warning that dated rates are about to end; nil where they are recent, or none has a day.
    private func age(of table: CurrencyRates) -> Finding? {
        let newest = table.dated.values.compactMap { $0.last?.day.daysSinceEpoch }.max()
        let zone = ReportZone(configuration.ledger.reportTimeZone)
        let today = zone?.day(of: now) ?? now.date
        guard let newest, today.daysSinceEpoch - newest > Doctor.freshRateDayCount else {
            return nil
        }
        let last = CivilDate(daysSinceEpoch: newest + CurrencyRates.bridgedDayCount)
        return Finding(
            .warning, "rates",
            "The newest day is \(CivilDate(daysSinceEpoch: newest).text); no rate by day applies"
                + " after \(last.text), and reports of money that need one are refused then. Add"
                + " days to \(RatesFile.key).")
    }

    // MARK: Machine

    private func clock() -> [Finding] {
        let isPlausible = now >= Doctor.earliestPlausibleNow
        let doubt = isPlausible ? "" : " lies in the past; received times would be wrong."
        return [Finding(isPlausible ? .good : .bad, "clock", now.rfc3339 + doubt)]
    }

    private func disk() -> Finding {
        // The nearest existing directory: the data will be on its file system.
        var parent = URL(filePath: configuration.dataDirectory).standardizedFileURL
        while !FileManager.default.fileExists(atPath: parent.path), parent.path != "/" {
            parent.deleteLastPathComponent()
        }
        return Doctor.disk(FreeDiskSpace.freeByteCount(parent.path), at: parent.path)
    }

    /// - Parameter free: bytes free at the path; nil when unknown.
    static func disk(_ free: UInt64?, at path: String) -> Finding {
        guard let free else {
            return Finding(.warning, "disk", "Free space cannot be determined.")
        }
        let isComfortable = free >= comfortableFreeByteCount
        let message = "\(free / 1_048_576) MiB free at \(path)"
        return Finding(isComfortable ? .good : .warning, "disk", message)
    }

    // MARK: Files

    private func files() async -> [Finding] {
        do throws(StoreError) {
            let ledger = try await EnvironmentLedger.open(
                configuration.ledger, environment: environment)
            let audit = Audit(
                log: ledger.log, directory: ledger.directory, environment: environment)
            // Only derived data shows that a log went back, and opening a session would rebuild it.
            // Derived data that is merely damaged is rebuilt.
            let isForeign = (try? await audit.derivedMatches()) == false
            var session = isForeign ? nil : try await LedgerSession.open(ledger)
            let derived = derived(session)
            // A service here waits for the projector's lock, and the checks below read the log.
            session = await session?.released()
            let head = try await ledger.log.head().position
            let quarantined = try await ledger.operations.quarantineCount()
            let isEmpty = quarantined == 0
            var findings = [Finding(.good, "log", "\(ledger.log.location), position \(head)")]
            findings += derived
            if ledger.hasLostOperations {
                let remark = Projector.Remark.operationsGone
                findings.append(Finding(.warning, "operations", remark.text))
            }
            findings.append(
                Finding(
                    isEmpty ? .good : .warning, "quarantine",
                    isEmpty
                        ? "empty"
                        : quarantined.named("item", "items") + "; see `subledger quarantine list`"))
            findings += await writing(ledger.log)
            findings += try await signed(ledger)
            findings += try await database(ledger)
            findings += try await events(of: ledger)
            if let foreign = try? await audit.foreignEvidence() {
                findings.append(
                    Finding(.bad, "log", "Position \(foreign.position): \(foreign.message)"))
            }
            if let session { await session.close() } else { await ledger.close() }
            return findings
        } catch {
            return [Finding(.bad, "files", "\(error.code.rawValue): \(error)")]
        }
    }

    /// - Parameter session: nil if the derived data is of another log.
    private func derived(_ session: LedgerSession?) -> [Finding] {
        guard let session else {
            return [
                Finding(
                    .bad, "projections",
                    "They hold events that the log lacks: the log went back or was replaced. Put"
                        + " the right log back, or `subledger restore` the newest backup; if this"
                        + " log is right, run `subledger rebuild`.")
            ]
        }
        // What cannot be read in the log is a finding about the log.
        let repaired = (session.projector?.remarks ?? []).filter { remark in
            if case .unreadable = remark { return false }
            return true
        }
        return [Finding(.good, "projections", "up to position \(session.head)")]
            + repaired.map { Finding(.warning, "projections", $0.text) }
    }
}
