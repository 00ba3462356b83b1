import AppStore
import ArgumentParser
import Service
import Web

struct DoctorCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check configuration, roots, clock, disk and files.")

    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        let roots = try settings.trustedRoots()
        let doctor = Doctor(
            configuration: settings.configuration, environment: settings.environment,
            roots: roots, now: Terminal.now)
        let findings = await doctor.examine() + certificates(settings)
        let isHealthy = !findings.contains { $0.level == .bad }
        return Output(text: findings.map { $0.text + "\n" }.joined(), isClean: isHealthy) { json in
            json.member("healthy", isHealthy)
            json.array("findings", findings)
        }
    }

    /// Checks the TLS files as `serve` reads them; empty where none are configured.
    private func certificates(_ settings: Settings) -> [Doctor.Finding] {
        guard let files = settings.configuration.server.tls else { return [] }
        return [WebService.examine(files, at: Terminal.now)]
    }
}
