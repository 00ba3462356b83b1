import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1

/// The fields of a submitted form (`application/x-www-form-urlencoded`, WHATWG URL §5).
struct ConsoleForm: Sendable {
    let values: [String: String]

    /// Largest form: 32 KiB, room for every field of a decision, full of characters of three bytes
    /// that the browser sends as nine.
    static let maximumByteCount = 32 * 1_024

    /// Throws `payloadTooLarge`, `unsupportedMediaType`, or `badRequest` for anything but a form;
    /// `TruncatedBody` when the browser disconnects before the end.
    init(_ request: Request) async throws {
        let type = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased()
        guard type == "application/x-www-form-urlencoded" else {
            throw Problem(
                .unsupportedMediaType, code: "unsupportedMediaType",
                detail: "The body must be a form.")
        }
        let buffer: ByteBuffer
        do {
            buffer = try await request.body.collect(upTo: ConsoleForm.maximumByteCount)
        } catch is NIOTooManyBytesError {
            throw Problem.tooLarge(limit: ConsoleForm.maximumByteCount)
        } catch let error as HTTPParserError {
            // Hummingbird answers invalid HTTP with 400 and closes the connection.
            throw error
        } catch {
            throw TruncatedBody(cause: error)
        }
        try self.init(String(buffer: buffer))
    }

    init(_ text: String) throws(Problem) {
        var values: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = PercentCoding.decoded(parts[0].replacing("+", with: " "))
            let value = PercentCoding.decoded(
                (parts.count > 1 ? parts[1] : "").replacing("+", with: " "),
                allowing: PercentCoding.controls)
            guard let name, let value, values[name] == nil else {
                throw Problem.invalid("The form is not valid.", code: "badRequest")
            }
            values[name] = PercentCoding.spaced(value)
        }
        self.values = values
    }

    /// The field without surrounding spaces; nil where it is absent or empty.
    func text(_ name: String) -> String? {
        let text = values[name]?.trimmingCharacters(in: .whitespacesAndNewlines) ?? ""
        return text.isEmpty ? nil : text
    }

    /// Throws `missingField` where it is absent or empty.
    func required(_ name: String) throws(Problem) -> String {
        guard let value = text(name) else {
            throw Problem.invalid("The field \(name) is empty.", code: "missingField")
        }
        return value
    }
}
