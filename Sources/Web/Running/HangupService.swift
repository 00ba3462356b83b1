internal import Service
import ServiceLifecycle
import UnixSignals

/// Reloads on SIGHUP what may change while the service runs: the TLS files and the apps' shared
/// secrets.
struct HangupService: Service {
    let certificates: CertificateReload
    let host: LedgerHost

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            await certificates.reload()
            await host.reloadSharedSecrets()
        }
    }
}
