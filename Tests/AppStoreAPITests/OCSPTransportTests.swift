import Signing
import Testing

@testable import AppStoreAPI

@Suite("OCSP over the transport of the API")
struct OCSPTransportTests {
    private let address = "http://ocsp.example.invalid/ocsp03-test"

    private func failure(
        _ transport: any APITransport, timeoutMilliseconds: Int64 = 60_000
    ) async -> (any Error)? {
        do {
            _ = try await OCSPTransport(transport, timeoutMilliseconds: timeoutMilliseconds)
                .post([1], to: address)
            return nil
        } catch { return error }
    }

    @Test("Only a 200 is an answer", arguments: [204, 302, 404, 503])
    func statuses(status: Int) async {
        let transport = ScriptedTransport([.answer(TransportResponse(status: status, body: [1]))])
        let found = await failure(transport) as? OCSPTransport.Failure
        #expect(found == .status(status))
        #expect(transport.requests.count == 1)
    }

    @Test(
        "Without a connection there is none",
        arguments: [
            TransportFailure.notConnected, .connectTimedOut, .tlsFailed(reason: "x"),
            .disconnected, .timedOut, .tooLarge, .cancelled,
        ])
    func unreachable(cause: TransportFailure) async {
        let found = await failure(ScriptedTransport([.failure(cause)])) as? TransportFailure
        #expect(found == cause)
    }

    @Test("An answer has a bound")
    func size() async {
        let limit = RevocationCheck.maximumResponseByteCount
        func answer(_ count: Int) -> ScriptedTransport {
            ScriptedTransport([
                .answer(TransportResponse(status: 200, body: Array(repeating: 0, count: count)))
            ])
        }
        #expect(await failure(answer(limit)) == nil)
        #expect(await failure(answer(limit + 1)) as? OCSPTransport.Failure == .tooLarge)
    }

    /// Answers when it is cancelled.
    private struct Silent: APITransport {
        func send(
            _ request: TransportRequest
        ) async throws(TransportFailure) -> TransportResponse {
            try? await Task.sleep(for: .seconds(600))
            throw .cancelled
        }
    }

    @Test("A responder that says nothing is waited for as long as is stated")
    func silent() async {
        #expect(await failure(Silent(), timeoutMilliseconds: 20) is Deadline.Passed)
    }

    @Test("It is a POST of the request, as RFC 6960 has it")
    func request() async throws {
        let transport = ScriptedTransport([
            .answer(TransportResponse(status: 200, body: [4, 5, 6]))
        ])
        #expect(try await OCSPTransport(transport).post([1, 2, 3], to: address) == [4, 5, 6])
        let sent = try #require(transport.requests.first)
        #expect(sent.method == "POST")
        #expect(sent.url == address)
        #expect(sent.body == [1, 2, 3])
        #expect(sent.header("content-type") == "application/ocsp-request")
        #expect(sent.header("authorization") == nil)
    }
}
