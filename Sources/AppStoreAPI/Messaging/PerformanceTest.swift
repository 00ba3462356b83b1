public import AppStore

/// A test has begun (Retention Messaging API, `PerformanceTestResponse`).
public struct PerformanceTestResponse: APIObject {
    /// What the test does.
    public var config: PerformanceTestConfig?
    /// Names the test in later requests.
    public var requestId: String?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("config", &config)
        visitor.visit("requestId", &requestId)
    }
}

/// What a test does, and what it requires to pass (Retention Messaging API,
/// `PerformanceTestConfig`).
public struct PerformanceTestConfig: APIObject {
    /// Most requests at once.
    public var maxConcurrentRequests: Int64?
    /// Requests of the whole test.
    public var totalRequests: Int64?
    /// How long the whole test takes, milliseconds.
    public var totalDuration: Int64?
    /// How long a response may take, milliseconds.
    public var responseTimeThreshold: Int64?
    /// Successful requests from which on the test passes, percent.
    public var successRateThreshold: Int64?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("maxConcurrentRequests", &maxConcurrentRequests)
        visitor.visit("totalRequests", &totalRequests)
        visitor.visit("totalDuration", &totalDuration)
        visitor.visit("responseTimeThreshold", &responseTimeThreshold)
        visitor.visit("successRateThreshold", &successRateThreshold)
    }
}

/// The outcome of a test (Retention Messaging API, `PerformanceTestStatus`).
public enum PerformanceTestStatus: String, Sendable, CaseIterable {
    case pending = "PENDING"
    case pass = "PASS"
    case fail = "FAIL"
}

/// How a test went (Retention Messaging API, `PerformanceTestResultResponse`).
public struct PerformanceTestResult: APIObject {
    /// What the test does.
    public var config: PerformanceTestConfig?
    /// The URL of the requests.
    public var target: String?
    public var result: Raw<PerformanceTestStatus>?
    /// Successful requests, percent.
    public var successRate: Int64?
    /// Requests that have not ended.
    public var numPending: Int64?
    public var responseTimes: PerformanceTestResponseTimes?
    /// Failed requests by reason, a raw value of `SendAttemptResult` or one that is not known yet.
    public var failures: [String: Int64]?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("config", &config)
        visitor.visit("target", &target)
        visitor.visit("result", &result)
        visitor.visit("successRate", &successRate)
        visitor.visit("numPending", &numPending)
        visitor.visit("responseTimes", &responseTimes)
        visitor.visit("failures", &failures)
    }
}

/// How long responses took, milliseconds (Retention Messaging API,
/// `PerformanceTestResponseTimes`).
public struct PerformanceTestResponseTimes: APIObject {
    public var average: Int64?
    /// What 50 percent of the responses did not exceed.
    public var p50: Int64?
    /// What 90 percent of the responses did not exceed.
    public var p90: Int64?
    /// What 95 percent of the responses did not exceed.
    public var p95: Int64?
    /// What 99 percent of the responses did not exceed.
    public var p99: Int64?

    public init() {}

    public mutating func visitFields(_ visitor: inout some FieldVisitor) {
        visitor.visit("average", &average)
        visitor.visit("p50", &p50)
        visitor.visit("p90", &p90)
        visitor.visit("p95", &p95)
        visitor.visit("p99", &p99)
    }
}
