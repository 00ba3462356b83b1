/// Why a renewal date is extended (App Store Server API, `extendReasonCode`).
public enum ExtendReasonCode: Int64, Sendable, CaseIterable {
    /// Not stated.
    case undeclared = 0
    /// For customer satisfaction.
    case customerSatisfaction = 1
    /// Another reason.
    case other = 2
    /// The service had an issue, or was down.
    case serviceIssueOrOutage = 3
}
