public import AppStore
public import Ledger

/// A window in which notifications of an app may be missing (`Metrics.md`, lateness).
public struct SuspectedOutage: Hashable, Sendable, JSONObjectWritable {
    public let app: BundleId
    /// The bounds and the reasons for suspicion.
    public let window: OutageDetection.Suggestion

    public func writeMembers(to json: inout JSONWriter) {
        json.member("bundleId", app)
        window.writeMembers(to: &json)
    }
}
