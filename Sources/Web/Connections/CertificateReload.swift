import Dispatch
import Logging
import ServiceLifecycle
import UnixSignals

/// Reads the TLS files again on SIGHUP.
struct CertificateReload: Service {
    let store: CertificateStore?
    let logger: Logger

    func run() async throws {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            guard let store else { continue }
            let failure = await withCheckedContinuation { continuation in
                DispatchQueue.global().async {
                    do throws(CertificateStore.Failure) {
                        try store.reload()
                        continuation.resume(returning: CertificateStore.Failure?.none)
                    } catch { continuation.resume(returning: error) }
                }
            }
            if let failure {
                logger.error(
                    "The TLS files are of no use; the old certificate stays.",
                    metadata: ["code": "certificateUnusable", "reason": "\(failure)"])
            } else {
                logger.notice(
                    "The TLS files were read again.", metadata: ["code": "certificateReloaded"])
            }
        }
    }
}
