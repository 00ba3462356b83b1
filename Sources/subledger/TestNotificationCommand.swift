import AppStore
import AppStoreAPI
import AppleSync
import ArgumentParser
import Queries

struct TestNotificationCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "test-notification",
        abstract: "Request a TEST notification from Apple and check that it arrives.",
        discussion: """
            Run it on the service's host, with the same data directory. If the notification does \
            not arrive, it suggests what to check: addresses in App Store Connect, DNS, firewall, \
            TLS, status codes. Exit code 0 only when it arrived and Apple confirms the delivery.
            """)

    @Option(
        help: ArgumentHelp(
            "Longest wait for Apple's confirmation, in seconds.", valueName: "seconds"))
    var wait = TestNotificationLimits.waitSeconds

    @OptionGroup var access: APIOptions
    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        guard (1...TestNotificationLimits.longestWaitSeconds).contains(wait) else {
            throw CommandFailure.invalidOption(
                "--wait takes 1 to \(TestNotificationLimits.longestWaitSeconds).")
        }
        let report = try await settings.withApple(access) { apple in
            try await TestNotification(
                try apple.client(), ledger: try await apple.ledgers.ledger(settings.environment),
                verifier: try settings.verifier(), clock: SystemClock()
            ).run(wait: Int64(wait) * 1_000) { Terminal.note($0) }
        }
        var isClean = false
        var failure: APIFailure?
        switch report.diagnosis {
        case .arrived: isClean = true
        case .notRequested(let reason): failure = reason
        default: break
        }
        return Output(
            json: report.write(to:), text: report.lines.map { $0 + "\n" }.joined(),
            isClean: isClean, failure: failure)
    }
}
