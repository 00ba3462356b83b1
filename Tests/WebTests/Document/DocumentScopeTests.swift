import AppStore
import HTTPTypes
import Service
import Testing

@testable import Web

@Suite("Scopes in the OpenAPI document")
struct DocumentScopeTests {
    private func place() throws -> ServedPlace {
        var place = try ServedPlace()
        place.configuration.server.tokens = Scope.allCases.map { .init($0.rawValue, [$0]) }
        return place
    }

    /// The documented scopes of an operation of which each alone suffices; empty for none.
    private static func scopes(of operation: APIDocument.Operation) -> Set<Scope> {
        let security = operation.value["security"] ?? APIDocument.shared.root["security"]
        return Set(
            (security?.array ?? []).compactMap { entry in
                let scopes = entry["bearer"]?.array ?? []
                return scopes.count == 1 ? scopes[0].string.flatMap { Scope(rawValue: $0) } : nil
            })
    }

    /// A request for which a stream ends.
    private static func uri(_ operation: APIDocument.Operation) -> String {
        let path = operation.path.replacing(#/\{\w+\}/#, with: "1")
        return operation.path == "/v1/changes" ? path + "?after=x" : path
    }

    @Test("Every operation requires one of the documented scopes, and no other")
    func asked() async throws {
        try await place().serve { (client: WebClient, _: LedgerHost) async throws in
            for operation in APIDocument.shared.operations {
                let method = try #require(HTTPRequest.Method(rawValue: operation.method))
                let (uri, wanted) = (
                    DocumentScopeTests.uri(operation), DocumentScopeTests.scopes(of: operation)
                )
                let bare = try await client.send(method, uri)
                #expect((bare.status == 401) == !wanted.isEmpty, "\(operation)")
                for scope in Scope.allCases {
                    let answer = try await client.send(
                        method, uri, [.authorization: "Bearer \(scope.rawValue)"])
                    let isRefused = answer.code == "insufficientScope"
                    #expect(
                        isRefused == (!wanted.isEmpty && !wanted.contains(scope)), "\(operation)")
                    #expect(answer.status != 401, "\(operation)")
                }
            }
        }
    }
}
