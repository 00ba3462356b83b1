import AppStore
import AppStoreAPI
import AppleSync
import ArgumentParser
import Queries

struct TestNotificationCommand: AsyncParsableCommand {
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

    func run() async throws {
        try await perform {
            let settings = try Settings(common)
            guard (1...TestNotificationLimits.longestWaitSeconds).contains(wait) else {
                throw CommandFailure(
                    code: "invalidOption",
                    message: "--wait takes 1 to \(TestNotificationLimits.longestWaitSeconds).",
                    exit: .usage)
            }
            let asking = try Asking(settings, access)
            let report = await asking.result {
                try await TestNotification(
                    try asking.client(),
                    ledger: try await asking.books.ledger(settings.environment),
                    verifier: try settings.verifier(), clock: SystemClock()
                ).run(wait: Int64(wait) * 1_000) { Console.note($0) }
            }
            try emit(try report.get())
        }
    }

    private func emit(_ report: TestNotificationReport) throws {
        if common.json {
            try Console.out { report.write(to: &$0) }
        } else {
            for line in report.lines { try Console.out(line + "\n") }
        }
        switch report.diagnosis {
        case .arrived: return
        case .notRequested(let failure): throw CommandFailure(failure)
        default: throw ExitCode(CommandFailure.Exit.negative.rawValue)
        }
    }
}
