import AppStore
import Foundation
import Testing

/// `serve` of the real binary, on a free port.
struct ServiceRun: Sendable {
    let launched: Launched
    let port: Int

    /// Polling interval at the start, in microseconds; only a hang reaches the number of polls.
    private static let pollMicroseconds: useconds_t = 20_000
    private static let pollCount = 3_000

    /// Starts it and waits until it listens.
    init(_ place: Workplace, _ arguments: [String] = []) async throws {
        let launched = try place.launch(
            ["serve", "--port", "0", "--json"] + arguments + place.options)
        self.launched = launched
        let port: Int? = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                for _ in 0..<ServiceRun.pollCount {
                    let line = (try? launched.outcome(code: 0))?.out ?? ""
                    if line.hasSuffix("\n"),
                        let json = try? JSONValue.parse(
                            Array(line.dropLast().utf8)), let port = json["port"]?.int64
                    {
                        return continuation.resume(returning: Int(port))
                    }
                    usleep(ServiceRun.pollMicroseconds)
                }
                continuation.resume(returning: nil)
            }
        }
        guard let port else {
            _ = try await launched.kill(afterMilliseconds: 1)
            throw RawConnection.Failure(
                reason: "it does not listen: \(try launched.outcome(code: 0).err)")
        }
        self.port = port
    }

    /// Requests shutdown, and waits for it; returns the exit code.
    func terminate() async throws -> Int32 {
        launched.signal(SIGTERM)
        return try await launched.outcome().code
    }
}
