/// Why a renewal date is extended (App Store Server API, `extendReasonCode`).
public enum ExtendReasonCode: Int64, Sendable, CaseIterable {
    /// Not stated.
    case undeclared = 0
    case customerSatisfaction = 1
    case other = 2
    /// The service had an issue, or was down.
    case serviceIssueOrOutage = 3
}
