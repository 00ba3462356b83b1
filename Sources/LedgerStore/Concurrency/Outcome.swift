/// The result of a concurrent step; `async let` would lose the type of its error.
package struct Outcome<Value: Sendable>: Sendable {
    private let result: Swift.Result<Value, StoreError>

    package init(_ step: () async throws(StoreError) -> Value) async {
        do throws(StoreError) { result = .success(try await step()) } catch {
            result = .failure(error)
        }
    }

    package func get() throws(StoreError) -> Value { try result.get() }
}
