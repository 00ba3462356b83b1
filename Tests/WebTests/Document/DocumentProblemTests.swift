import AppStore
import AppStoreAPI
import Foundation
import HTTPTypes
import LedgerStore
import Queries
import Reports
import Service
import Signing
import TestSupport
import Testing

@testable import Web

/// Every code a response can have is in the document, under every status it can have, and every
/// documented code occurs.
@Suite("Problem codes in the OpenAPI document")
struct DocumentProblemTests {
    private let document = APIDocument.shared

    /// Codes in the sources of a folder, spelled `code: "…"`.
    private func spelledCodes(_ folder: String) throws -> Set<String> {
        let base = Fixtures.repository.appending(path: folder)
        let names = FileManager.default.enumerator(atPath: base.path)?.allObjects ?? []
        var codes: Set<String> = []
        for case let name as String in names where name.hasSuffix(".swift") {
            let text = try String(contentsOf: base.appending(path: name), encoding: .utf8)
            for match in text.matches(of: #/code:\s*"(\w+)"/#) { codes.insert(String(match.1)) }
        }
        #expect(!codes.isEmpty, "\(folder)")
        return codes
    }

    private func values(_ schema: JSONValue) -> Set<String> {
        var found = Set((schema["enum"]?.array ?? []).compactMap(\.string))
        if let pointer = schema["$ref"]?.string {
            found.formUnion(values(document.resolved(pointer)))
        }
        for part in schema["anyOf"]?.array ?? [] { found.formUnion(values(part)) }
        return found
    }

    /// Status and codes of a refusal's schema.
    private func problem(_ schema: JSONValue) -> (status: Int64?, codes: Set<String>) {
        let own = schema["properties"]
        return (own?["status"]?["const"]?.int64, values(own?["code"] ?? .null))
    }

    /// Status and codes of a refusal, by the response's name.
    private func problem(_ name: String) -> (status: Int64?, codes: Set<String>) {
        problem(document.refusal(name))
    }

    /// Names of the responses that are refusals.
    private var problems: [String] {
        (document.resolved("#/components/responses").object ?? []).map(\.key).filter {
            !document.refusal($0).isNull
        }
    }

    private func store(_ status: HTTPResponse.Status) -> Set<String> {
        Set(
            StoreError.Code.allCases.filter { code in
                Problem(StoreError(code, reason: "", remedy: "")).status == status
            }.map(\.rawValue))
    }

    /// Reported by `/readyz` only, never in a response to a query.
    private static let readinessCodes: Set<String> = [ServingError.appendStalled.code]

    @Test("Exactly the existing codes")
    func all() throws {
        var codes: Set<String> = []
        for folder in ["Routes", "HTTP", "Security", "Connections", "Feeds"] {
            codes.formUnion(try spelledCodes("Sources/Web/\(folder)"))
        }
        codes.formUnion(try spelledCodes("Sources/Service/Host"))
        codes.formUnion(StoreError.Code.allCases.map(\.rawValue))
        codes.formUnion(VerificationCode.allCases.map(\.rawValue))
        codes.insert("environmentMissing")
        codes.formUnion([
            ServingError.projectionBehind(position: 0).code,
            ServingError.environmentNotServed(.xcode).code,
            ServingError.clockJumped(milliseconds: 0).code, ServingError.stopping.code,
            QueryError.noSuchSubscription("").code, QueryError.ambiguousId("", []).code,
        ])
        codes.formUnion(
            ReportRouteTests.refusals.map(\.1) + ComparedRouteTests.refusals.map(\.1)
                + ChainsRouteTests.refusals.map(\.1) + [
                    MetricsError.tooManyRows.code, MetricsError.amountTooLarge.code,
                    MetricsError.unknownMetric("").code, MetricsError.rateTooLarge([]).code,
                ])
        codes.formUnion(OperatorError.Code.allCases.map(\.rawValue))
        // A failure of the store has its own code.
        codes.formUnion(ErasureError.Code.allCases.map(\.rawValue))
        codes.formUnion(SignatureError.Code.allCases.map(\.rawValue))
        codes.formUnion(EligibilityError.Code.allCases.map(\.rawValue))
        codes.formUnion(CommandError.Code.allCases.filter { $0 != .store }.map(\.rawValue))
        codes.subtract(DocumentProblemTests.readinessCodes)
        let documented = values(document.schema("ProblemCode"))
        #expect(documented.subtracting(codes) == [])
        #expect(codes.subtracting(documented) == [])
        #expect(
            values(document.schema("StoreCode")) == Set(StoreError.Code.allCases.map(\.rawValue)))
    }

    @Test("Every code has a status, and every one of its statuses is documented")
    func statuses() {
        let all = values(document.schema("ProblemCode"))
        #expect(problems.count >= 15)
        #expect(problems.map { problem($0).codes }.reduce(Set()) { $0.union($1) } == all)
        for name in problems {
            let schema = document.refusal(name)
            #expect(schema["$ref"]?.string == "#/components/schemas/Problem", "\(name)")
            #expect(problem(schema).status != nil, "\(name)")
            #expect(!problem(schema).codes.isEmpty, "\(name)")
        }
        for operation in document.operations {
            for response in operation.value["responses"]?.object ?? [] {
                let content = document.target(response.value)["content"]
                guard let schema = content?["application/problem+json"]?["schema"] else { continue }
                #expect(problem(schema).status.map(String.init) == response.key, "\(operation)")
            }
        }
    }

    @Test("A refusal with the code or the status of another one is found")
    func others() {
        func findings(_ code: String, _ status: String) -> [String] {
            let members: [JSONMember] = [
                JSONMember(key: "type", value: .string("urn:subledger:problem:\(code)")),
                JSONMember(key: "title", value: .string("")),
                JSONMember(key: "status", value: .number(status)),
                JSONMember(key: "detail", value: .string("")),
                JSONMember(key: "code", value: .string(code)),
            ]
            return SchemaCheck(document: document).findings(
                .object(members), document.refusal("NotLinked"))
        }
        #expect(findings("noSuchPath", "404") != [])
        #expect(findings("notLinked", "409") != [])
        #expect(findings("notLinked", "404") == [])
        #expect(findings("noSuchSubscription", "404") == [])
    }

    @Test("File failures are distinguished as in responses")
    func failures() {
        #expect(problem("Fault").codes == store(.internalServerError).union(["internal"]))
        #expect(
            problem("Unavailable").codes
                == store(.serviceUnavailable).union([
                    "projectionBehind", "clockJumped", "busy", "invalidRates", "stopping",
                ]))
        #expect(
            problem("TooManyStreams").codes
                == store(.serviceUnavailable).union(["projectionBehind", "tooManyStreams"]))
        #expect(
            problem("SendAgain").codes.isSuperset(
                of: store(.internalServerError).union(store(.serviceUnavailable))))
    }

    @Test("Refused evidence has every code of verification, under the matching status")
    func evidence() {
        let (refused, again) = (problem("RefusedEvidence").codes, problem("SendAgain").codes)
        // Genuine but unusable here: requested again or, for an upload, a 422.
        let genuine: Set<VerificationCode> = [
            .wrongApp, .wrongEnvironment, .undecodablePayload, .nestedPartInvalid,
            .certificateRevoked,
        ]
        // Also refused when it is not genuine.
        let either: Set<VerificationCode> = [.wrongEnvironment, .nestedPartInvalid]
        for code in VerificationCode.allCases {
            let isRetryable = VerificationError(code, reason: "").isRetryable
            let isAgain = isRetryable || genuine.contains(code)
            #expect(again.contains(code.rawValue) == isAgain, "\(code)")
            #expect(refused.contains(code.rawValue) == (!isAgain || either.contains(code)))
        }
        #expect(
            problem("RefusedUpload").codes
                == refused.union([
                    "invalidCustomer", "invalidIdempotencyKey", "invalidParameter",
                    "unknownEnvironment", "unknownParameter",
                ]))
        #expect(
            problem("NotAcceptable").codes
                == Set(genuine.map(\.rawValue)).union([
                    "environmentMissing", "idempotencyKeyReused",
                ]))
    }
}
