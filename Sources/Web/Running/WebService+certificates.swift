internal import Intake
public import Service

extension WebService {
    /// Checks the TLS files as the service reads them at its start.
    ///
    /// Throws `certificateUnusable` for files that cannot be read or do not match.
    public static func requireUsable(
        _ files: ServiceConfiguration.Server.TLS
    ) throws(WebServiceError) { _ = try certificates(files) }

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
