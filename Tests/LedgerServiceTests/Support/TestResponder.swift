import AppStore
import AppStoreAPI
import Intake
import LedgerStore
import Signing
import Simulator
import Synchronization

/// The OCSP responder of an authority, without a socket, and the clock it is asked by.
final class TestResponder: APITransport {
    /// What it does when it is asked.
    enum Manner: Sendable, CaseIterable {
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

    struct State {
        var manner = Manner.answers
        var leaf = RevocationStatus.good
        var intermediate = RevocationStatus.good
        var askedCount = 0
        /// 2026-03-15.
        var now = Timestamp(milliseconds: 1_773_532_800_000)
        var findings: [RevocationChecks.Finding] = []
    }

    private let authority: Authority
    private let state = Mutex(State())
    private static let day: Int64 = 86_400_000

    init(_ authority: Authority = TestAuthority.shared) { self.authority = authority }

    func set(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    func pass(milliseconds: Int64) {
        set { $0.now = $0.now.advanced(byMilliseconds: milliseconds) }
    }

    var now: Timestamp { state.withLock { $0.now } }
    var askedCount: Int { state.withLock { $0.askedCount } }
    /// Outcomes in their order, and of them those to be logged.
    var outcomes: [RevocationChecks.Outcome] { state.withLock { $0.findings.map(\.outcome) } }
    var news: [RevocationChecks.Outcome] {
        state.withLock { $0.findings.filter(\.isNews).map(\.outcome) }
    }

    /// Checks that ask it.
    func checks(_ policy: RevocationPolicy) -> RevocationChecks? {
        RevocationChecks(
            policy, transport: OCSPTransport(self), clock: { self.now }, report: { self.note($0) })
    }

    func note(_ finding: RevocationChecks.Finding) { set { $0.findings.append(finding) } }

    func send(
        _ request: TransportRequest
    ) async throws(TransportFailure) -> TransportAnswer {
        let state = state.withLock { state in
            state.askedCount += 1
            return state
        }
        switch state.manner {
        case .silent: throw .notConnected
        case .status500: return TransportAnswer(status: 500)
        case .garbage: return TransportAnswer(status: 200, body: [0x30, 0x03, 0x0A, 0x01, 0x06])
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
        return TransportAnswer(status: 200, body: body)
    }
}
