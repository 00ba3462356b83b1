import Dispatch
import Logging

/// Reloads the TLS files.
struct CertificateReload: Sendable {
    let store: CertificateStore?
    let logger: Logger

    func reload() async {
        guard let store else { return }
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
                "The TLS files cannot be used; the current certificate stays.",
                metadata: ["code": "certificateUnusable", "reason": "\(failure)"])
        } else {
            logger.notice(
                "The TLS files were reloaded.", metadata: ["code": "certificateReloaded"])
        }
    }
}
