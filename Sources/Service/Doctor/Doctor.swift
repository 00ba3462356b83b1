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

    /// The result of one check.
    public struct Finding: Sendable, Equatable {
        public enum Level: String, Sendable {
            case good
            case warning
            case bad
        }

        public let level: Level
        public let subject: String
        public let message: String

        public init(level: Level, subject: String, message: String) {
            self.level = level
            self.subject = subject
            self.message = message
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

        public func write(to json: inout JSONWriter) {
            json.object { json in
                json.member("level", level.rawValue)
                json.member("subject", subject)
                json.member("message", message)
            }
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
        var findings = apps() + trust() + keys() + sharedSecrets() + webhooks() + server()
        findings += openSecrets()
        findings += clock() + disk()
        findings += await files()
        return findings
    }

    // MARK: Configuration

    private func apps() -> [Finding] {
        guard !configuration.apps.isEmpty else {
            return [
                Finding(
                    level: .bad, subject: "apps",
                    message: "None is configured: all evidence from Apple would be quarantined.")
            ]
        }
        return configuration.apps.map { app in
            guard environment == .production, app.appAppleId == nil else {
                return Finding(
                    level: .good, subject: "app \(app.bundleId)", message: "configured")
            }
            return Finding(
                level: .warning, subject: "app \(app.bundleId)",
                message: "appAppleId is missing: in Production it distinguishes your app from"
                    + " another that signs with the same bundle id.")
        }
    }

    private func trust() -> [Finding] {
        let extra = roots.fingerprints.filter { !TrustedRoots.isApple($0) }.sorted()
        guard !extra.isEmpty else {
            return [
                Finding(level: .good, subject: "roots", message: "Apple Root CA - G3 only")
            ]
        }
        return extra.map { fingerprint in
            Finding(
                level: environment == .production ? .warning : .good, subject: "roots",
                message: "\(fingerprint.hexadecimal) is trusted besides Apple's root"
                    + (environment == .production
                        ? ": in Production the holder of its key can forge events." : "."))
        }
    }

    private func keys() -> [Finding] {
        configuration.apps.enumerated().compactMap { index, app in
            guard let api = app.api else { return nil }
            let subject = "key of \(app.bundleId)"
            let setting = "apps[\(index)].api"
            do throws(ConfigurationError) {
                let file = try APIKeyFile(
                    path: api.privateKeyFile, key: "\(setting).privateKeyFile")
                _ = try file.credentials(api, bundleId: app.bundleId, key: setting)
                return Finding(level: .good, subject: subject, message: "usable")
            } catch {
                return Finding(level: .bad, subject: subject, message: error.description)
            }
        }
    }

    private func sharedSecrets() -> [Finding] {
        configuration.apps.enumerated().compactMap { index, app in
            guard let file = app.sharedSecretFile else { return nil }
            let subject = "shared secret of \(app.bundleId)"
            do throws(ConfigurationError) {
                _ = try SharedSecret(file: file, key: "apps[\(index)].sharedSecretFile")
                return Finding(level: .good, subject: subject, message: "usable")
            } catch {
                return Finding(level: .bad, subject: subject, message: error.description)
            }
        }
    }

    // MARK: Machine

    private func clock() -> [Finding] {
        let isPlausible = now >= Doctor.earliestPlausibleNow
        return [
            Finding(
                level: isPlausible ? .good : .bad, subject: "clock",
                message: isPlausible
                    ? now.rfc3339
                    : "\(now.rfc3339) lies in the past; received times would be wrong.")
        ]
    }

    private func disk() -> [Finding] {
        // The nearest existing directory: the data will be on its file system.
        var parent = URL(filePath: configuration.dataDirectory).standardizedFileURL
        while !FileManager.default.fileExists(atPath: parent.path), parent.path != "/" {
            parent.deleteLastPathComponent()
        }
        let attributes = try? FileManager.default.attributesOfFileSystem(
            forPath: parent.path)
        guard let free = (attributes?[.systemFreeSize] as? NSNumber)?.int64Value else {
            return [
                Finding(
                    level: .warning, subject: "disk", message: "Free space cannot be determined.")
            ]
        }
        let isComfortable = free >= Doctor.comfortableFreeByteCount
        return [
            Finding(
                level: isComfortable ? .good : .warning, subject: "disk",
                message: "\(free / 1_048_576) MiB free at \(parent.path)")
        ]
    }

    // MARK: Files

    private func files() async -> [Finding] {
        do throws(StoreError) {
            let session = try await LedgerSession.open(
                configuration.ledger, environment: environment)
            var findings = [
                Finding(
                    level: .good, subject: "log",
                    message: "\(session.ledger.log.location), position \(session.head)"),
                Finding(
                    level: .good, subject: "projections",
                    message: "up to position \(session.head)"),
            ]
            let quarantined = try await session.ledger.operations.quarantineCount()
            findings.append(
                Finding(
                    level: quarantined == 0 ? .good : .warning, subject: "quarantine",
                    message: quarantined == 0
                        ? "empty" : "\(quarantined) items; see `subledger quarantine list`"))
            findings += try await events(of: session.ledger)
            await session.close()
            return findings
        } catch {
            return [
                Finding(
                    level: .bad, subject: "files", message: "\(error.code.rawValue): \(error)")
            ]
        }
    }
}
