import AppStore

/// A request to the simulated API.
public struct ServedRequest: Sendable {
    /// GET, POST, PUT or DELETE.
    public let method: String
    /// As in the URL, with segments percent-encoded.
    public let path: String
    /// Decoded, in order.
    public let query: [(name: String, value: String)]
    /// The Authorization field.
    public let authorization: String?
    public let body: [UInt8]

    public init(
        method: String, path: String, query: [(name: String, value: String)] = [],
        authorization: String?, body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.authorization = authorization
        self.body = body
    }

    func values(_ name: String) -> [String] { query.filter { $0.name == name }.map(\.value) }

    func value(_ name: String) -> String? { values(name).first }
}

/// A response of the simulated API, and how it is sent.
public struct ServedResponse: Sendable {
    /// How the response is sent.
    public enum Manner: Sendable, Equatable {
        case whole
        /// Half of the body; then the connection closes.
        case half
        /// The connection closes without a response.
        case dropped
    }

    public var status: Int
    public var headers: [(name: String, value: String)] = []
    public var body: [UInt8] = []
    public var manner = Manner.whole
    /// Delay of the response.
    public var delayMilliseconds: Int64 = 0
}

extension ServedResponse {
    init(status: Int = 200, _ body: (inout JSONWriter) -> Void) {
        self.init(status: status, body: JSONWriter.object(body))
    }

    init(_ error: ServedError) {
        self.init(status: Int(error.number / 10_000)) { json in
            json.member("errorCode", error.number)
            json.member("errorMessage", error.message)
        }
    }
}

/// An error with Apple's number (App Store Server API, Error codes).
struct ServedError: Error, Sendable, Equatable {
    let number: Int64
    let message: String

    init(_ number: Int64, _ message: String) {
        self.number = number
        self.message = message
    }
}
