public import AppStore
import AppStoreAPI
internal import Queries

/// The minimum cost of requesting a number of customers: one page per response, at Apple's
/// rates. Long histories have more pages, and Apple's latency is not included.
public struct BackfillEstimate: Sendable, Equatable, JSONObjectWritable {
    /// Ids still to be requested.
    public let ids: Int
    public let requests: Int64
    /// Additional requests, at most, for renewal extensions of these ids.
    public let furtherRequests: Int64
    public let milliseconds: Int64

    /// Refund histories are requested at a fifth of the others' rate; Sandbox allows a tenth of
    /// Production's requests.
    public init(ids: Int, includesRefunds: Bool, environment: Environment) {
        let endpoints: [Endpoint] =
            [.allSubscriptionStatuses, .transactionHistory]
            + (includesRefunds ? [.refundHistory] : [])
        self.ids = ids
        requests = Int64(ids) * Int64(endpoints.count)
        furtherRequests = Int64(ids)
        let factor: Int64 = environment == .production ? 1_000 : 10_000
        let slowest = endpoints.map(\.requestsPerSecond).min() ?? 1
        milliseconds = (Int64(ids) * factor + Int64(slowest) - 1) / Int64(slowest)
    }

    /// For people, in whole seconds, rounded up.
    public var duration: String { Duration.seconds((milliseconds + 999) / 1_000).text }

    /// One sentence for people.
    public var text: String {
        "\(ids.named("id", "ids")) to request: at least"
            + " \(requests.named("request", "requests")), \(duration) at Apple's rates;"
            + " up to \(furtherRequests) more about renewal extensions"
    }

    public func writeMembers(to json: inout JSONWriter) {
        json.member("ids", ids)
        json.member("requests", requests)
        json.member("furtherRequests", furtherRequests)
        json.member("seconds", (milliseconds + 999) / 1_000)
    }
}
