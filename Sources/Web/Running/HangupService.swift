import Foundation
internal import LedgerStore
import Logging
internal import Service
import ServiceLifecycle
import Synchronization
import UnixSignals

/// Reloads on SIGHUP what may change while the service runs: the TLS files and the apps' shared
/// secrets.
struct HangupService: Service {
    let certificates: CertificateStore?
    let host: LedgerHost
    let logger: Logger

    /// Whether a SIGHUP arrived before `run` traps it.
    static let isDue = Atomic(false)

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown()
        // The files may have been read before it arrived.
        if HangupService.isDue.exchange(false, ordering: .relaxed) { await reload() }
        for await _ in signals { await reload() }
    }

    private func reload() async {
        await reloadCertificates()
        await host.reloadSharedSecrets()
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

extension WebService {
    /// Makes a SIGHUP before `run` traps it, which would end the process, reload the files once it
    /// does. Call it before they are read.
    package static func expectHangup() {
        // Initialises the variable: a signal handler must not.
        HangupService.isDue.store(false, ordering: .relaxed)
        signal(SIGHUP) { _ in HangupService.isDue.store(true, ordering: .relaxed) }
    }
}
