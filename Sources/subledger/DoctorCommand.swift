import AppStore
import ArgumentParser
import Service
import Web

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check configuration, roots, clock, disk and files.")

    @OptionGroup var common: SharedOptions

    func run() async throws {
        try await perform {
            let settings = try Settings(common)
            let roots = try settings.trustedRoots()
            let doctor = Doctor(
                configuration: settings.configuration, environment: settings.environment,
                roots: roots, now: Console.now)
            let findings = await doctor.examine() + certificates(settings)
            if common.json {
                try Console.out { json in
                    json.object { json in
                        json.member("healthy", !findings.contains { $0.level == .bad })
                        json.array("findings", findings) { $1.write(to: &$0) }
                    }
                }
            } else {
                for finding in findings { try Console.out(finding.text + "\n") }
            }
            if findings.contains(where: { $0.level == .bad }) {
                throw ExitCode(CommandFailure.Exit.negative.rawValue)
            }
        }
    }

    /// Checks the TLS files as `serve` reads them; empty where none are configured.
    private func certificates(_ settings: Settings) -> [Doctor.Finding] {
        guard let files = settings.configuration.server.tls else { return [] }
        do throws(WebServiceError) {
            try WebService.requireUsable(files)
            return [Doctor.Finding(level: .good, subject: "tls", message: "usable")]
        } catch {
            return [Doctor.Finding(level: .bad, subject: "tls", message: error.description)]
        }
    }
}
