import AppStore
import Foundation

/// The first line that a running command writes: where it listens.
enum LaunchedLine {
    /// Polls while it starts, microseconds; only a hang meets the number of them.
    private static let pollMicroseconds: useconds_t = 20_000
    private static let pollCount = 3_000

    struct Silence: Error {
        let errors: String
    }

    /// Its JSON; throws when none came.
    static func first(of launched: Launched) async throws -> JSONValue {
        let line: JSONValue? = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                for _ in 0..<pollCount {
                    let text = (try? launched.outcome(code: 0))?.out ?? ""
                    if text.hasSuffix("\n"),
                        let json = try? JSONValue.parse(Array(text.dropLast().utf8))
                    {
                        return continuation.resume(returning: json)
                    }
                    usleep(pollMicroseconds)
                }
                continuation.resume(returning: nil)
            }
        }
        guard let line else {
            _ = try await launched.kill(afterMilliseconds: 1)
            throw Silence(errors: try launched.outcome(code: 0).err)
        }
        return line
    }
}
