internal import AppStore

/// The body of `POST /v1/jobs`: `{"report":"/v1/metrics/churn?from=2026-01-01"}`.
struct JobBody: Sendable {
    /// Path and query, as given.
    let report: String
    /// The metric, `diff` or `retention-offers`.
    let name: String
    let query: String?

    static let maximumByteCount = 64 * 1024
    private static let prefix = "/v1/metrics/"

    /// Throws `malformedJSON` or `invalidBody`.
    init(_ body: [UInt8]) throws(Problem) {
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue.parse(body) } catch {
            throw Problem.invalid(
                "The body is not valid JSON (\(error.code.rawValue)).", code: "malformedJSON")
        }
        guard let report = value["report"]?.string, report.hasPrefix(JobBody.prefix) else {
            throw JobBody.invalid
        }
        let parts = report.dropFirst(JobBody.prefix.count).split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = PercentCoding.decoded(parts[0]), !name.isEmpty,
            name.utf8.count <= PathReader.maximumByteCount
        else { throw JobBody.invalid }
        self.report = report
        self.name = name
        query = parts.count > 1 ? String(parts[1]) : nil
    }

    private static var invalid: Problem {
        Problem.invalid(
            "report takes path and query of a report, e.g. /v1/metrics/churn?from=2026-01-01.",
            code: "invalidBody")
    }
}
