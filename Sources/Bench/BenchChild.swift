import Foundation

/// Runs a process to its end.
enum BenchChild {
    static func run(_ binary: String, _ arguments: [String]) async throws {
        guard try await status(binary, arguments) == 0 else { throw BenchProblem.refused }
    }

    /// The exit code; output is discarded.
    static func status(_ binary: String, _ arguments: [String]) async throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: binary)
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Int32, any Error>) in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
    }
}
