import AppStore
import Foundation
import HTTPTypes
import Hummingbird
import Ledger
import Logging
import Reports
import Service
import Testing

@testable import Web

/// Consistency and completeness of the document.
@Suite("The OpenAPI document")
struct DocumentTests {
    private let document = APIDocument.shared

    /// Every schema with its location.
    private var schemas: [(place: String, value: JSONValue)] {
        var found: [(String, JSONValue)] = []
        func walk(_ value: JSONValue, _ place: String) {
            found.append((place, value))
            for member in value["properties"]?.object ?? [] {
                walk(member.value, "\(place).\(member.key)")
            }
            for name in ["allOf", "anyOf"] {
                for part in value[name]?.array ?? [] { walk(part, place) }
            }
            if let items = value["items"] { walk(items, "\(place)[]") }
        }
        for member in document.resolved("#/components/schemas").object ?? [] {
            walk(member.value, member.key)
        }
        func search(_ value: JSONValue) {
            for member in value.object ?? [] {
                if member.key == "schema" { walk(member.value, "inline") }
                search(member.value)
            }
            for element in value.array ?? [] { search(element) }
        }
        search(document.root["paths"] ?? .null)
        for kind in ["parameters", "headers", "responses"] {
            search(document.resolved("#/components/\(kind)"))
        }
        return found
    }

    @Test("It is served without a token, unmodified, and lists exactly the existing routes")
    func routes() async throws {
        try await ServedPlace().serve { (client: WebClient, host: LedgerHost) async throws in
            let answer = try await client.get("/openapi.yaml")
            #expect(answer.status == 200)
            #expect(answer.headers[.contentType] == "application/yaml")
            #expect(answer.bytes == OpenAPIDocument.bytes)
            #expect(APIDocument.shared.root["openapi"]?.string == "3.1.0")
            let service = try WebService(
                host: host, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            // Names of path variables are not compared.
            let plain = { (path: String) in
                path.split(separator: "/").map { step in
                    step.hasPrefix(":") || step.hasPrefix("{") ? "{}" : String(step)
                }.joined(separator: "/")
            }
            // Pages of the console are for people, and no part of the contract.
            let registered = service.routes().routes.filter {
                $0.method != .head && !ConsoleRoutes.isPage($0.path.description)
            }.map {
                "\($0.method.rawValue) \(plain($0.path.description))"
            }
            let documented = APIDocument.shared.operations.map {
                "\($0.method) \(plain($0.path))"
            }
            #expect(Set(registered) == Set(documented))
            #expect(registered.count == documented.count)
        }
    }

    @Test("Every reference resolves, and every component is used")
    func references() {
        var used: Set<String> = []
        func search(_ value: JSONValue) {
            if let pointer = value["$ref"]?.string { used.insert(pointer) }
            for member in value.object ?? [] { search(member.value) }
            for element in value.array ?? [] { search(element) }
        }
        search(document.root)
        for pointer in used { #expect(!document.resolved(pointer).isNull, "\(pointer)") }
        // Of every path and every method, and what the data of an event stream is.
        used.insert("#/components/schemas/Change")
        used.formUnion(
            ["NoSuchPath", "MethodNotAllowed", "HostNotAllowed", "OriginNotAllowed"].map {
                "#/components/responses/\($0)"
            })
        for kind in ["parameters", "headers", "responses", "schemas"] {
            for member in document.resolved("#/components/\(kind)").object ?? [] {
                #expect(used.contains("#/components/\(kind)/\(member.key)"), "\(member.key)")
            }
        }
    }

    @Test("Every schema uses keywords that the tests support, and can be parsed")
    func keywords() {
        #expect(schemas.count > 100)
        for schema in schemas {
            for member in schema.value.object ?? [] {
                #expect(
                    SchemaCheck.assertions.contains(member.key)
                        || SchemaCheck.annotations.contains(member.key),
                    "\(schema.place): \(member.key)")
            }
            if let pattern = schema.value["pattern"]?.string {
                #expect((try? NSRegularExpression(pattern: pattern)) != nil, "\(schema.place)")
            }
        }
    }

    /// Members that are only present when they have a value.
    private static let optional: [String: Set<String>] = [
        "Problem": ["position", "reason", "evidence", "traceId"], "Cause": ["command"],
        "Command": ["tokenName", "entitlement", "until", "grantId"],
        "EventMembers": ["signedPayload"],
        "UploadBody": ["signedRenewalInfo", "customer"], "ReceiptBody": ["customer"],
        "NotificationBody": [
            "signedPayload", "notification_type", "password", "unified_receipt",
        ],
        "RetentionAnswer": ["message", "alternateProduct", "promotionalOffer"],
        "RetentionAnswer.alternateProduct": ["billingPlanType"],
        "ChurnRow": ["converted", "toFree"],
        "Subscription": ["transaction"], "Timeline": ["next"], "Metric": ["suspectedOutages"],
        "Comparison": ["reasons"], "Health.problems[]": ["position", "head"],
        "MetricsStamp": ["rates"], "RateTable": ["day", "dated"], "RecoveryReport": ["suggested"],
        "ErasureBody": ["chains", "customer", "dryRun"],
        "MCPMessage": ["id", "params"], "MCPResponse": ["result", "error"],
        "PromotionalOfferBody": ["transactionId", "ifEligible", "customer"],
        "PromotionalOfferV1Body": ["appAccountToken", "ifEligible", "customer"],
        "IntroductoryOfferBody": ["ifEligible", "customer"],
        "Redelivery": ["dryRun"], "RecoveryWindow": ["to", "bundleId"],
        "RowGroup": Set(Dimension.allCases.map(\.rawValue)),
        "Decision": [
            "tokenName", "bundleId", "originalTransactionId", "grantId", "entitlement", "until",
        ],
    ]

    /// Request bodies, which may contain unknown members.
    private static let open: Set<String> = [
        "NotificationBody", "NotificationBody.unified_receipt", "UploadBody", "ReceiptBody",
        "RetentionBody", "CustomersBody", "GrantBody", "JobBody", "MCPMessage", "Redelivery",
        "RecoveryWindow", "AdvancedCommerceBody.request",
        // Members named by the changes and notifications that occurred.
        "Redelivered.types", "RecoveryReport.new",
        // Members named by the columns in the response.
        "MetricValues", "MetricRates",
        // Members named by the client's currencies.
        "RateTable.rates",
    ]

    @Test("Every object lists all of its members as required")
    func closed() {
        let composed = Set(
            schemas.flatMap { $0.value["allOf"]?.array ?? [] }.compactMap {
                $0["$ref"]?.string.map { String($0.split(separator: "/").last ?? "") }
            })
        for schema in schemas where schema.value["type"]?.string == "object" {
            let isClosed =
                schema.value["additionalProperties"]?.bool == false
                || schema.value["unevaluatedProperties"]?.bool == false
            let isPart = composed.contains(schema.place)
            #expect(
                isClosed || isPart || DocumentTests.open.contains(schema.place),
                "\(schema.place) is open")
            let members = Set((schema.value["properties"]?.object ?? []).map(\.key))
            let required = Set((schema.value["required"]?.array ?? []).compactMap(\.string))
            #expect(
                members.subtracting(required) == DocumentTests.optional[schema.place] ?? [],
                "\(schema.place)")
            guard schema.value["allOf"] == nil else { continue }
            #expect(required.isSubset(of: members), "\(schema.place)")
        }
    }

    @Test("Every example is valid")
    func examples() {
        let check = SchemaCheck(document: document)
        var count = 0
        for schema in schemas {
            for example in schema.value["examples"]?.array ?? [] {
                count += 1
                #expect(check.findings(example, schema.value).isEmpty, "\(schema.place)")
            }
        }
        #expect(count >= 10)
        for operation in document.operations {
            for parameter in document.parameters(of: operation) {
                guard let example = parameter["example"], let schema = parameter["schema"] else {
                    continue
                }
                #expect(check.findings(example, schema).isEmpty, "\(operation)")
            }
        }
    }

    @Test("Every operation has a unique name, a tag, a summary and all of its path's variables")
    func operations() {
        let tags = Set(
            (document.root["tags"]?.array ?? []).compactMap { $0["name"]?.string })
        let names = document.operations.compactMap { $0.value["operationId"]?.string }
        #expect(Set(names).count == document.operations.count)
        for operation in document.operations {
            let tag = operation.value["tags"]?.array?.first?.string
            #expect(tag.map { tags.contains($0) } == true, "\(operation)")
            #expect(operation.value["summary"]?.string != nil, "\(operation)")
            let variables = operation.path.matches(of: #/\{(\w+)\}/#).map { String($0.1) }
            let described = document.parameters(of: operation).filter {
                $0["in"]?.string == "path"
            }
            #expect(
                Set(variables) == Set(described.compactMap { $0["name"]?.string }),
                "\(operation)")
        }
    }
}
