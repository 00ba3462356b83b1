public import AppStore
import Ledger

/// A published meaning of a metric. What it computes never changes under one version.
public enum MetricDefinition: String, Sendable, CaseIterable {
    case churn = "churn/1"
    case churnPaid = "churn.paid/1"
}

/// What a reader has to know about an answer before using it. Raw values are stable.
public enum MetricsRemark: String, Sendable, CaseIterable {
    /// No chain was known: zeros that mean nothing.
    case emptyLedger
    /// The figures are of an environment in which nobody pays, and time runs faster.
    case notProduction

    /// For a person.
    public var message: String {
        switch self {
        case .emptyLedger:
            "No subscription is known here under that knowledge: nothing was counted. Check --data,"
                + " --environment, --bundle-id and --known-at."
        case .notProduction:
            "These figures describe a test environment, where nobody pays and time runs faster."
        }
    }
}

/// Which definition, on which knowledge: what every metric's answer begins with.
public struct MetricsStamp: Sendable {
    public let definition: MetricDefinition
    public let environment: Environment
    public let timeZone: String
    public let interval: ReportInterval
    /// The log position the answer was computed at.
    public let position: Int64
    public let knownAt: Timestamp?
    /// Up to when everything Apple sent is certainly here.
    public let completeThrough: Timestamp?
    public let catalogueHash: Digest
    public let remarks: [MetricsRemark]

    /// The members of the stamp.
    ///
    /// - Parameter isStamped: without it an answer stays the same until something in it changes.
    func write(to json: inout JSONWriter, isStamped: Bool) {
        json.member("definition", definition.rawValue)
        json.member("environment", environment.rawValue)
        json.member("timeZone", timeZone)
        json.member("interval", interval.rawValue)
        if isStamped {
            json.member("position", position)
            json.member("knownAt", knownAt)
            json.member("completeThrough", completeThrough)
        }
        json.member("reducerVersion", Lifecycle.reducerVersion)
        json.member("catalogueHash", catalogueHash)
        json.array("remarks", remarks) { json, remark in
            json.object { json in
                json.member("code", remark.rawValue)
                json.member("message", remark.message)
            }
        }
    }

    /// The stamp for people.
    var lines: [String] {
        var lines = [
            "\(definition.rawValue) · \(environment.rawValue) · by \(interval.rawValue) in"
                + " \(timeZone)",
            "computed at position \(position)"
                + (knownAt.map { ", as known at \($0.rfc3339)" } ?? "")
                + (completeThrough.map { ", complete through \($0.rfc3339)" }
                    ?? ", completeness not confirmed"),
        ]
        lines += remarks.map { "note: \($0.message)" }
        return lines
    }
}
