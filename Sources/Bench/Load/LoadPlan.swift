import NIOCore

struct LoadPlan: Sendable {
    let port: Int
    let connectionCount: Int
    /// The nth request, complete; nil when there are no more.
    let request: @Sendable (_ number: Int) -> ByteBuffer?
    /// Requests per second over all connections; nil sends as fast as responses come.
    var rate: Double?
    /// Stops after this time, whatever remains.
    var limit: TimeAmount?
}
