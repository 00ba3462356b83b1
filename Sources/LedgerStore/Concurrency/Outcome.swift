/// What a step that runs beside another came to: `async let` would forget the type of its error.
package struct Outcome<Value: Sendable>: Sendable {
    private let result: Swift.Result<Value, StoreError>

    package init(_ step: () async throws(StoreError) -> Value) async {
        do throws(StoreError) { result = .success(try await step()) } catch {
            result = .failure(error)
        }
    }

    package func get() throws(StoreError) -> Value { try result.get() }
}
