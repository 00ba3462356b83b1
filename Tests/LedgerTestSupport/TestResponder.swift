import AppStore
import AppStoreAPI
import Intake
import LedgerStore
import Signing
import Simulator
import Synchronization

/// The OCSP responder of an authority, without a socket, and the clock it is asked by.
package final class TestResponder: APITransport {
    /// What it does when it is asked.
    package enum Manner: Sendable, CaseIterable {
        case answers
        /// No connection can be made.
        case silent
        case status500
        /// Its answers are of yesterday.
        case stale
        /// Its answers are signed by another key.
        case stranger
        case garbage
    }

    package struct State {
        package var manner = Manner.answers
        package var leaf = RevocationStatus.good
        package var intermediate = RevocationStatus.good
        package var requestedCount = 0
        /// 2026-03-15.
        package var now = Timestamp(milliseconds: 1_773_532_800_000)
        package var findings: [RevocationChecks.Finding] = []
    }

    private let authority: Authority
    private let state = Mutex(State())
    private static let day: Int64 = 86_400_000

    package init(_ authority: Authority = TestAuthority.shared) { self.authority = authority }

    package func set(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    package func pass(milliseconds: Int64) {
        set { $0.now = $0.now.advanced(byMilliseconds: milliseconds) }
    }

    package var now: Timestamp { state.withLock { $0.now } }
    package var requestedCount: Int { state.withLock { $0.requestedCount } }
    /// Outcomes in their order, and of them those to be logged.
    package var outcomes: [RevocationChecks.Outcome] {
        state.withLock { $0.findings.map(\.outcome) }
    }
    package var news: [RevocationChecks.Outcome] {
        state.withLock { $0.findings.filter(\.isNews).map(\.outcome) }
    }

    /// Checks that ask it.
    package func checks(_ policy: RevocationPolicy) -> RevocationChecks? {
        RevocationChecks(
            policy, transport: OCSPTransport(self, timeoutMilliseconds: 600_000),
            clock: { self.now }, report: { self.note($0) })
    }

    package func note(_ finding: RevocationChecks.Finding) { set { $0.findings.append(finding) } }

    package func send(
        _ request: TransportRequest
    ) async throws(TransportFailure) -> TransportResponse {
        let state = state.withLock { state in
            state.requestedCount += 1
            return state
        }
        switch state.manner {
        case .silent: throw .notConnected
        case .status500: return TransportResponse(status: 500)
        case .garbage: return TransportResponse(status: 200, body: [0x30, 0x03, 0x0A, 0x01, 0x06])
        case .answers, .stale, .stranger: break
        }
        let isLeaf = request.url.hasSuffix("throwaway02")
        let end = state.manner == .stale ? -TestResponder.day : TestResponder.day
        let from = state.now.advanced(byMilliseconds: -2 * TestResponder.day)
        let body = try? authority.answer(
            request.body ?? [], about: isLeaf ? .leaf : .intermediate,
            status: isLeaf ? state.leaf : state.intermediate,
            validity: from...state.now.advanced(byMilliseconds: end),
            responder: state.manner == .stranger ? .stranger : .issuer)
        guard let body else { throw .disconnected }
        return TransportResponse(status: 200, body: body)
    }
}
