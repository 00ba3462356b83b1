import AppStore
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@testable import Web

/// Test requests with JSON responses, each compared with the document.
struct WebClient: Sendable {
    let client: any TestClientProtocol

    struct Answer: Sendable {
        let status: Int
        let headers: HTTPFields
        let bytes: [UInt8]
        /// The body; null when it is empty, or no JSON.
        let json: JSONValue

        init(_ response: TestResponse) {
            (status, headers) = (response.status.code, response.headers)
            bytes = Array(response.body.readableBytesView)
            json = (try? JSONValue.parse(bytes)) ?? .null
        }

        /// The body of a page.
        var text: String { String(decoding: bytes, as: UTF8.self) }
        /// The problem's code.
        var code: String? { json["code"]?.string }
    }

    /// Follows a page of the console that says that its answer is being made.
    func get(_ uri: String, _ headers: HTTPFields = [:]) async throws -> Answer {
        let end = ContinuousClock.now.advanced(by: WebClient.patience)
        while true {
            let answer = try await send(.get, uri, headers)
            guard answer.status == 202, ContinuousClock.now < end else { return answer }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// As `get`, repeated while answers are behind, which may take long on a loaded machine.
    func ask(_ uri: String, _ headers: HTTPFields = [:]) async throws -> Answer {
        let end = ContinuousClock.now.advanced(by: WebClient.patience)
        while true {
            let answer = try await get(uri, headers)
            guard answer.code == "projectionBehind", ContinuousClock.now < end else {
                return answer
            }
        }
    }

    private static let patience: Duration = .seconds(120)

    /// All pages of a list, read one after the other.
    func pages(_ uri: String, limit: Int) async throws -> [JSONValue] {
        let mark = uri.contains("?") ? "&" : "?"
        var pages: [JSONValue] = []
        var after: String?
        repeat {
            let cursor = after.map { "&after=\($0)" } ?? ""
            pages.append(try await get("\(uri)\(mark)limit=\(limit)\(cursor)").json)
            after = pages.last?["next"]?.string
            try #require(pages.count < 100, "\(uri) has no end")
        } while after != nil
        return pages
    }

    func post(
        _ uri: String, _ body: [UInt8], _ headers: HTTPFields = [.contentType: "application/json"]
    ) async throws -> Answer {
        try await send(.post, uri, headers, body)
    }

    /// The fields of a form that a page of this service sends, and others.
    static func formFields(_ others: HTTPFields = [:]) -> HTTPFields {
        var fields: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        fields[.fetchSite] = "same-origin"
        for field in others { fields.append(field) }
        return fields
    }

    /// Sends a form of the console.
    func submit(
        _ uri: String, _ form: some Sequence<UInt8>, _ headers: HTTPFields = [:]
    ) async throws -> Answer {
        try await send(.post, uri, WebClient.formFields(headers), Array(form))
    }

    /// Posts as Apple does.
    func notify(_ body: [UInt8], _ headers: HTTPFields = [:]) async throws -> Answer {
        var headers = headers
        headers[.contentType] = "application/json"
        return try await post("/appstore/notifications", body, headers)
    }

    func send(
        _ method: HTTPRequest.Method, _ uri: String, _ headers: HTTPFields = [:],
        _ body: [UInt8]? = nil
    ) async throws -> Answer {
        let response = try await client.executeRequest(
            uri: uri, method: method, headers: headers, body: body.map { ByteBuffer(bytes: $0) })
        let answer = Answer(response)
        for finding in AnswerCheck.shared.findings(method, uri, answer) {
            Issue.record("openapi.yaml: \(finding)")
        }
        return answer
    }
}

extension [JSONValue] {
    /// What these pages list under a name.
    func all(_ name: String) -> [JSONValue] { flatMap { $0[name]?.array ?? [] } }
}
