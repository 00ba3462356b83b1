internal import Intake
public import Service

extension WebService {
    /// Reads TLS files as the service does when it starts, and keeps nothing of them.
    ///
    /// Throws `certificateUnusable` for files that cannot be read or do not belong together.
    public static func requireUsable(
        _ files: ServiceConfiguration.Server.TLS
    ) throws(WebServiceError) {
        do throws(CertificateStore.Failure) { _ = try CertificateStore(files) } catch {
            throw WebServiceError(
                code: .certificateUnusable,
                description: "\(error) Check server.tls in the configuration.")
        }
    }
}
