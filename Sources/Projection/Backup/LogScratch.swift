import Foundation

/// A directory for a copy of a log in a file, removed afterwards.
enum LogScratch {
    static func with<Value>(
        _ directory: String, _ body: (String) async throws -> Value
    ) async throws -> Value {
        // Of a run that died.
        try? FileManager.default.removeItem(atPath: directory)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        return try await body(directory)
    }
}
