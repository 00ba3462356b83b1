import NIOCore

/// What a load consists of.
struct LoadPlan: Sendable {
    let port: Int
    let connectionCount: Int
    /// The nth request, whole; nil when there are no more.
    let request: @Sendable (_ number: Int) -> ByteBuffer?
    /// Requests a second over all connections; nil as fast as they are answered.
    var rate: Double?
    /// Ends after so long, whatever is left.
    var limit: TimeAmount?
}
