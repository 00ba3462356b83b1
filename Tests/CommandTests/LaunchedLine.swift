import AppStore
import Foundation

/// The first line of output of a running command: its address.
enum LaunchedLine {
    /// Polling interval in microseconds; only a hang reaches the number of polls.
    private static let pollMicroseconds: useconds_t = 20_000
    private static let pollCount = 3_000

    struct Silence: Error {
        let errors: String
    }

    /// Its JSON; throws when there is none.
    static func first(of launched: Launched) async throws -> JSONValue {
        try await first(1, of: launched)[0]
    }

    /// The JSON of its first lines; throws when there are fewer.
    static func first(_ count: Int, of launched: Launched) async throws -> [JSONValue] {
        let lines: [JSONValue]? = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                for _ in 0..<pollCount {
                    let text = (try? launched.outcome(code: 0))?.out ?? ""
                    let whole = text.hasSuffix("\n") ? text.split(separator: "\n") : []
                    let read = whole.compactMap { try? JSONValue.parse(Array($0.utf8)) }
                    if read.count >= count { return continuation.resume(returning: read) }
                    usleep(pollMicroseconds)
                }
                continuation.resume(returning: nil)
            }
        }
        guard let lines else {
            _ = try await launched.kill(afterMilliseconds: 1)
            throw Silence(errors: try launched.outcome(code: 0).err)
        }
        return lines
    }
}
