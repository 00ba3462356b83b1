import AppStore
import Synchronization

/// Limits every kind of request to Apple's documented rate, per environment: in any interval of a
/// second (Sandbox: ten) no more start than Apple accepts.
final class RateLimiter: Sendable {
    private struct Lane: Hashable {
        let endpoint: Endpoint
        let environment: Environment
    }

    private struct Grants {
        /// Start times of the newest requests, oldest first; at most a window's.
        var times: [Int64] = []
        /// Apple's hold: nothing starts before.
        var heldUntil: Int64 = .min
    }

    private let state = Mutex<[Lane: Grants]>([:])

    /// The result of a reservation.
    enum Place: Sendable, Equatable {
        /// Reserved: the request starts after this delay.
        case after(milliseconds: Int64)
        /// Not reserved: Apple holds all requests until then.
        case held(until: Int64)
    }

    /// Reserves the next start, unless Apple's hold exceeds `longest`. Both are decided under one
    /// lock, because another task could change the hold in between.
    func reserve(
        _ endpoint: Endpoint, _ environment: Environment, at elapsed: Int64, longest: Int64 = .max
    ) -> Place {
        let lane = Lane(endpoint: endpoint, environment: environment)
        // In Sandbox a tenth of Production's rate, in whole requests.
        let windowMilliseconds: Int64 = environment == .production ? 1_000 : 10_000
        return state.withLock { lanes in
            var grants = lanes[lane] ?? Grants()
            guard grants.heldUntil <= elapsed || grants.heldUntil - elapsed <= longest else {
                return .held(until: grants.heldUntil)
            }
            var start = max(elapsed, grants.heldUntil, grants.times.last ?? .min)
            if grants.times.count == endpoint.requestsPerSecond {
                start = max(start, grants.times.removeFirst() + windowMilliseconds)
            }
            grants.times.append(start)
            lanes[lane] = grants
            return .after(milliseconds: start - elapsed)
        }
    }

    /// Holds requests of this kind until `until`.
    func hold(_ endpoint: Endpoint, _ environment: Environment, until: Int64) {
        state.withLock { lanes in
            let lane = Lane(endpoint: endpoint, environment: environment)
            let held = max(lanes[lane]?.heldUntil ?? .min, until)
            lanes[lane, default: Grants()].heldUntil = held
        }
    }
}
