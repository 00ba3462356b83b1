import AppStore
import AppStoreAPI
import Foundation
import Synchronization

/// Apple's notification history, signed beforehand: answers without any work that would be counted
/// as the asker's.
final class RecordedHistory: APITransport {
    private let sent: [Sent]

    struct Sent: Sendable {
        let signedDate: Timestamp
        let token: [UInt8]
    }

    /// Apple's page.
    static let pageCount = 20

    /// - Parameter sent: in order of signedDate.
    init(_ sent: [Sent]) { self.sent = sent }

    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportAnswer {
        guard let body = try? JSONValue.parse(request.body ?? []),
            let from = body["startDate"]?.int64, let to = body["endDate"]?.int64
        else { return TransportAnswer(status: 400) }
        let first = index(Timestamp(milliseconds: from))
        // Everything is brought by the questions without a type.
        let end =
            body["notificationType"] == nil ? index(Timestamp(milliseconds: to)) : first
        let start = request.url.split(separator: "=").last.flatMap { Int($0) } ?? first
        let page = sent[max(start, first)..<max(min(start + RecordedHistory.pageCount, end), first)]
        var json: [UInt8] = Array("{\"notificationHistory\":[".utf8)
        for (number, entry) in page.enumerated() {
            if number > 0 { json.append(UInt8(ascii: ",")) }
            json += Array("{\"sendAttempts\":[],\"signedPayload\":\"".utf8) + entry.token
            json += Array("\"}".utf8)
        }
        let next = page.endIndex
        json += Array("],\"hasMore\":\(next < end)".utf8)
        if next < end { json += Array(",\"paginationToken\":\"\(next)\"".utf8) }
        json.append(UInt8(ascii: "}"))
        return TransportAnswer(status: 200, body: json)
    }

    /// Of the first that was signed then or later.
    private func index(_ moment: Timestamp) -> Int {
        var (low, high) = (0, sent.count)
        while low < high {
            let middle = (low + high) / 2
            if sent[middle].signedDate < moment { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// A clock on which waiting takes no time: rates are kept, and hold nobody up.
final class UnhurriedClock: RequestClock {
    private let waited = Mutex<Int64>(0)
    private let start: Timestamp

    init(_ start: Timestamp) { self.start = start }

    var now: Timestamp { start }
    var elapsedMilliseconds: Int64 { waited.withLock { $0 } }

    func sleep(milliseconds: Int64) async throws(CancellationError) {
        waited.withLock { $0 += milliseconds }
    }
}
