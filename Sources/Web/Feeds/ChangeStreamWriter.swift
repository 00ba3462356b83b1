internal import AppStore
import Hummingbird
internal import Ledger
import NIOCore
internal import Queries
import ServiceLifecycle

/// One subscriber's server-sent events (HTML standard, §9.2): changes after a cursor, then live
/// ones, until the subscriber leaves or the service ends. Holds at most one page; a slow subscriber
/// delays only itself, and one that accepts nothing is disconnected (`RequestDeadlines`).
struct ChangeStreamWriter: Sendable {
    /// Where a subscriber starts.
    enum Start: Sendable {
        case after(ChangePlace)
        /// At the next change.
        case now(FeedBeginning)
    }

    let feed: ChangeFeed
    let filter: ChangeFilter
    let start: Start
    let channel: any Channel
    let rules: StreamRules

    func write(to writer: inout any ResponseBodyWriter) async throws {
        feed.beginInterest()
        defer { feed.endInterest() }
        let input = await ConnectionInput.of(channel)
        try await send("retry: \(StreamLimits.retryMilliseconds)\n\n", to: &writer)
        // Nil until the feed has reached the subscriber's start.
        var cursor: ChangePlace?
        if case .after(let place) = start { cursor = place }
        var version: Int?
        var lastSent = ContinuousClock.now
        while !Task.isCancelled, !Task.isShuttingDownGracefully, channel.isActive {
            if cursor == nil, case .now(let beginning) = start, let place = beginning.place {
                // A subscriber that disconnects before the first change resumes here.
                try await send("id: \(place)\n: begins here\n\n", to: &writer)
                (cursor, lastSent) = (place, ContinuousClock.now)
            }
            let current = feed.version
            if let place = cursor, version != current {
                let page = try await feed.page(after: place)
                cursor = page.next
                let wanted = page.changes.filter { filter.admits($0) }
                for index in wanted.indices {
                    // One event may change several chains at the same place. A subscriber that
                    // disconnects among them resumes before the first, so it misses none.
                    let next = wanted.index(after: index)
                    let isLast =
                        next == wanted.endIndex || wanted[next].place != wanted[index].place
                    try await send(event(wanted[index], isLast: isLast), to: &writer)
                    lastSent = .now
                }
                if page.isEnd { version = current }
            }
            // A subscriber that closed its sending side may be gone; a write detects that. Checked
            // after every page as well, since a filter may skip everything for hours.
            let isHalfClosed = input?.isClosed ?? false
            let silence = isHalfClosed ? StreamLimits.halfClosedHeartbeat : rules.heartbeat
            if lastSent.duration(to: .now) > silence {
                // An id without data advances the subscriber's cursor past filtered changes.
                let id = cursor.map { "id: \($0)\n" } ?? ""
                try await send("\(id): still here\n\n", to: &writer)
                lastSent = .now
            }
            if cursor == nil || version == current { try await Task.sleep(for: StreamLimits.poll) }
        }
    }

    private func send(
        _ text: String, to writer: inout any ResponseBodyWriter
    ) async throws { try await writer.write(ByteBuffer(string: text)) }

    private func event(_ change: FeedChange, isLast: Bool) -> String {
        let data = String(decoding: change.body(filter), as: UTF8.self)
        let id = isLast ? "id: \(change.place)\n" : ""
        return "\(id)event: \(change.change.name.rawValue)\ndata: \(data)\n\n"
    }
}
