extension Result where Failure == any Error {
    /// Captures the result of `body`, so that the caller can close what it used first.
    package init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
