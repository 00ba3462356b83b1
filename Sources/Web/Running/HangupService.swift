internal import LedgerStore
import Logging
internal import Service
import ServiceLifecycle
import UnixSignals

/// Reloads on SIGHUP what may change while the service runs: the TLS files and the apps' shared
/// secrets.
struct HangupService: Service {
    let certificates: CertificateStore?
    let host: LedgerHost
    let logger: Logger

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            await reloadCertificates()
            await host.reloadSharedSecrets()
        }
    }

    private func reloadCertificates() async {
        guard let certificates else { return }
        do throws(CertificateStore.Failure) {
            try await Blocking.run { () throws(CertificateStore.Failure) in
                try certificates.reload()
            }
            logger.notice(
                "The TLS files were reloaded.", metadata: ["code": "certificateReloaded"])
            WebService.warn(of: certificates, at: host.clock(), logger)
        } catch {
            logger.error(
                "The TLS files cannot be used; the current certificate stays.",
                metadata: ["code": "certificateUnusable", "reason": "\(error)"])
        }
    }
}
