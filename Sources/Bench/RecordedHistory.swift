import AppStore
import AppStoreAPI
import Synchronization

/// Apple's notification history, signed in advance, so that its answers cost no time attributed to
/// the measured client.
final class RecordedHistory: APITransport {
    private let sent: [Sent]

    struct Sent: Sendable {
        let signedDate: Timestamp
        let token: [UInt8]
    }

    /// Apple's page size.
    static let pageCount = 20

    /// - Parameter sent: ordered by signedDate.
    init(_ sent: [Sent]) { self.sent = sent }

    func send(_ request: TransportRequest) async throws(TransportFailure) -> TransportResponse {
        guard let body = try? JSONValue.parse(request.body ?? []),
            let from = body["startDate"]?.int64, let to = body["endDate"]?.int64
        else { return TransportResponse(status: 400) }
        let first = index(Timestamp(milliseconds: from))
        // Only requests without a type return notifications.
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
        return TransportResponse(status: 200, body: json)
    }

    /// The index of the first notification signed at or after a moment.
    private func index(_ moment: Timestamp) -> Int {
        sent.indices.partitioningIndex { sent[$0].signedDate >= moment }
    }
}

/// A clock whose sleeps take no time: rate limits apply without delaying the benchmark.
final class InstantClock: RequestClock {
    private let waited = Mutex<Int64>(0)
    private let start: Timestamp

    init(_ start: Timestamp) { self.start = start }

    var now: Timestamp { start }
    var elapsedMilliseconds: Int64 { waited.withLock { $0 } }

    func sleep(milliseconds: Int64) async throws(CancellationError) {
        waited.withLock { $0 += milliseconds }
    }
}
