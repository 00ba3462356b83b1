import AppStore
import Synchronization

/// Keeps every kind of request at or below the rate Apple documents, per environment: in any
/// stretch of a second (Sandbox: of ten) no more begin than Apple takes.
final class RateLimiter: Sendable {
    /// So many in any stretch of so long.
    struct Rate: Sendable, Equatable {
        let count: Int
        let windowMilliseconds: Int64

        init(_ endpoint: Endpoint, _ environment: Environment, ceiling: Int? = nil) {
            count = max(1, min(endpoint.requestsPerSecond, ceiling ?? .max))
            // A tenth of Production's rate, without fractions of requests.
            windowMilliseconds = environment == .production ? 1_000 : 10_000
        }
    }

    private struct Lane: Hashable {
        let endpoint: Endpoint
        let environment: Environment
    }

    private struct Grants {
        /// When the newest ones begin, oldest first; as many as the rate counts.
        var times: [Int64] = []
        /// Nothing begins before: Apple said so.
        var heldUntil: Int64 = .min
    }

    /// What an operator leaves of Apple's rates, requests of each kind a second; nil: all.
    private let ceiling: Int?
    private let state = Mutex<[Lane: Grants]>([:])

    init(ceiling: Int? = nil) { self.ceiling = ceiling }

    /// What an asker gets.
    enum Place: Sendable, Equatable {
        /// Taken: the request begins so much later.
        case after(milliseconds: Int64)
        /// None taken: Apple asked everybody to wait until then.
        case held(until: Int64)
    }

    /// Takes the next place, unless Apple asked for a longer wait than `longest`. One look says
    /// both: between two another asker may have been told another time.
    func reserve(
        _ endpoint: Endpoint, _ environment: Environment, at elapsed: Int64, longest: Int64 = .max
    ) -> Place {
        let rate = Rate(endpoint, environment, ceiling: ceiling)
        return state.withLock { lanes in
            var grants = lanes[Lane(endpoint: endpoint, environment: environment)] ?? Grants()
            guard grants.heldUntil <= elapsed || grants.heldUntil - elapsed <= longest else {
                return .held(until: grants.heldUntil)
            }
            var start = max(elapsed, grants.heldUntil, grants.times.last ?? .min)
            if grants.times.count == rate.count {
                start = max(start, grants.times.removeFirst() + rate.windowMilliseconds)
            }
            grants.times.append(start)
            lanes[Lane(endpoint: endpoint, environment: environment)] = grants
            return .after(milliseconds: start - elapsed)
        }
    }

    /// Nothing of this kind begins before `until`.
    func hold(_ endpoint: Endpoint, _ environment: Environment, until: Int64) {
        state.withLock { lanes in
            let lane = Lane(endpoint: endpoint, environment: environment)
            let held = max(lanes[lane]?.heldUntil ?? .min, until)
            lanes[lane, default: Grants()].heldUntil = held
        }
    }
}
