public import Signing

/// Reaches OCSP responders over the transport of the App Store Server API: HTTP POST (RFC 6960
/// appendix A.1), no redirects, once.
public struct OCSPTransport: RevocationTransport {
    /// One query, from connecting to the last byte. Apple's libraries wait 30 s; a delivery that
    /// waits for two queries is answered in a third of that.
    public static let timeoutMilliseconds: Int64 = 5_000

    private let transport: any APITransport
    private let timeoutMilliseconds: Int64

    /// The connections of `transport` are the caller's to close.
    public init(
        _ transport: any APITransport,
        timeoutMilliseconds: Int64 = OCSPTransport.timeoutMilliseconds
    ) {
        self.transport = transport
        self.timeoutMilliseconds = timeoutMilliseconds
    }

    /// Why there is no answer.
    public enum Failure: Error, Equatable {
        case status(Int)
        /// More than `RevocationCheck.maximumResponseByteCount`.
        case tooLarge
    }

    public func post(_ request: [UInt8], to address: String) async throws -> [UInt8] {
        let outgoing = TransportRequest(
            method: "POST", url: address,
            headers: [
                .init("content-type", "application/ocsp-request"),
                .init("accept", "application/ocsp-response"), .init("user-agent", "subledger"),
            ], body: request)
        let transport = transport
        let answer = try await Deadline.run(
            until: .now + .milliseconds(timeoutMilliseconds)
        ) { try await transport.send(outgoing) }
        guard answer.status == 200 else { throw Failure.status(answer.status) }
        guard answer.body.count <= RevocationCheck.maximumResponseByteCount else {
            throw Failure.tooLarge
        }
        return answer.body
    }
}
