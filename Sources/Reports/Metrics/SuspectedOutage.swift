public import AppStore
public import Ledger

/// A window in which notifications of an app may be missing (`Metrics.md`, lateness).
public struct SuspectedOutage: Hashable, Sendable {
    public let app: BundleId
    /// The bounds and the reasons for suspicion.
    public let window: OutageDetection.Suggestion

    func write(to json: inout JSONWriter) {
        json.object { json in
            json.member("bundleId", app)
            json.member("from", window.from)
            json.member("to", window.to)
            json.array("reasons", window.reasons) { $0.value($1.rawValue) }
        }
    }
}
