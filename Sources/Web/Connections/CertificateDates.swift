internal import AppStore
import NIOSSL

/// When a certificate is valid.
struct CertificateDates: Sendable {
    let notBefore: Timestamp
    let notAfter: Timestamp

    /// Days before its end from which a certificate is reported.
    static let warnedDayCount: Int64 = 14

    /// Whether clients accept the certificate at a time.
    func include(_ now: Timestamp) -> Bool { notBefore <= now && now <= notAfter }

    /// What an operator should know at a time; nil while the certificate stays valid.
    func remark(at now: Timestamp) -> String? {
        if now < notBefore {
            return "The first certificate is valid from \(notBefore.rfc3339) on; clients refuse it"
                + " until then."
        }
        if now > notAfter {
            return "The first certificate expired at \(notAfter.rfc3339), and clients refuse it:"
                + " renew it, then send SIGHUP to the service."
        }
        let isEnding =
            notAfter.milliseconds(since: now) < CertificateDates.warnedDayCount * 86_400_000
        guard isEnding else { return nil }
        return "The first certificate expires at \(notAfter.rfc3339): renew it, then send SIGHUP to"
            + " the service."
    }
}

extension CertificateDates {
    init(_ certificate: NIOSSLCertificate) {
        notBefore = Timestamp(milliseconds: Int64(certificate.notValidBefore) * 1_000)
        notAfter = Timestamp(milliseconds: Int64(certificate.notValidAfter) * 1_000)
    }
}
