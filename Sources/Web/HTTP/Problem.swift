internal import AppStore
import HTTPTypes
import Hummingbird
internal import Ledger
import NIOCore
internal import Queries

/// An error response: `application/problem+json` (RFC 9457) with a stable code (`Contract.md`).
/// Never contains a payload, a token or a secret.
struct Problem: Error, Sendable {
    let status: HTTPResponse.Status
    /// Stable; clients depend on it.
    let code: String
    /// What happened, and what to do.
    let detail: String
    /// Seconds after which a retry makes sense.
    var retryAfter: Int?
    /// The position reached, when an answer was behind.
    var position: Int64?
    /// What decided that a customer is not eligible.
    var eligibility: OfferEligibility?
    /// For the log: file, reason and remedy of a failure of the store.
    var remedy: String?
    /// Additional header fields of the response.
    var headers = HTTPFields()

    init(
        _ status: HTTPResponse.Status, code: String, detail: String, retryAfter: Int? = nil
    ) {
        self.status = status
        self.code = code
        self.detail = detail
        self.retryAfter = retryAfter
    }

    /// Whether the form is shown again with the typed text: the form decided nothing, or decides
    /// once when it is sent again under its key.
    var keepsForm: Bool { status.code < 500 || status == .serviceUnavailable }

    var isKeyReused: Bool { code == CommandError.Code.idempotencyKeyReused.rawValue }

    /// The detail as a form says it, whose key is not a field that can be changed.
    var formDetail: String {
        guard isKeyReused else { return detail }
        return "This form was already sent with other content, which stands. Send it again to have"
            + " this done as well."
    }

    /// A parameter that is not valid.
    static func invalid(_ detail: String, code: String = "invalidParameter") -> Problem {
        Problem(.badRequest, code: code, detail: detail)
    }

    /// The problem type of a code: a URN, not an address to fetch.
    static func type(of code: String) -> String { "urn:subledger:problem:\(code)" }

    var body: [UInt8] {
        JSONWriter.object { json in
            json.member("type", Problem.type(of: code))
            json.member("title", status.reasonPhrase)
            json.member("status", Int64(status.code))
            json.member("detail", detail)
            json.member("code", code)
            json.memberIfPresent("position", position)
            eligibility?.writeRefusal(to: &json)
            json.memberIfPresent("traceId", TraceContext.current?.traceId)
        }
    }

    var response: Response {
        var headers = headers
        headers[.contentType] = "application/problem+json"
        headers[.cacheControl] = "no-store"
        if let retryAfter { headers[.retryAfter] = String(retryAfter) }
        return Response(
            status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }
}

extension Problem {
    static func lacking(_ scope: String) -> Problem {
        Problem(
            .forbidden, code: "insufficientScope", detail: "The token lacks the scope \(scope).")
    }
}

extension Problem: HTTPResponseError {
    func response(from request: Request, context: some RequestContext) throws -> Response {
        response
    }
}
