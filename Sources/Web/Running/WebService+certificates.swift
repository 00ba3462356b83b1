public import AppStore
internal import Intake
internal import Logging
public import Service

extension WebService {
    /// The doctor's finding about the TLS files, read as the service reads them at its start, and
    /// about the dates of the certificate.
    public static func examine(
        _ files: ServiceConfiguration.Server.TLS, at now: Timestamp
    ) -> Doctor.Finding {
        do throws(WebServiceError) {
            let dates = try certificates(files).dates
            guard let remark = dates.remark(at: now) else {
                return Doctor.Finding(.good, "tls", "usable")
            }
            return Doctor.Finding(
                dates.include(now) ? .warning : .bad, "tls", "\(files.certificateFile): \(remark)")
        } catch { return Doctor.Finding(.bad, "tls", error.description) }
    }

    /// Warns of a certificate that is not valid at a time, or not for much longer.
    static func warn(of certificates: CertificateStore?, at now: Timestamp, _ logger: Logger) {
        guard let remark = certificates?.dates.remark(at: now) else { return }
        logger.warning("\(remark)", metadata: ["code": "certificateDates"])
    }

    static func certificates(
        _ files: ServiceConfiguration.Server.TLS
    ) throws(WebServiceError) -> CertificateStore {
        do throws(CertificateStore.Failure) { return try CertificateStore(files) } catch {
            throw WebServiceError(
                code: .certificateUnusable,
                description: "\(error) Check server.tls in the configuration.")
        }
    }
}
