internal import AppStore
import Hummingbird
internal import Ledger
import NIOCore
internal import Queries
import ServiceLifecycle

/// One reader's server-sent events (HTML standard, §9.2): what comes after a cursor, then what
/// happens, until the reader leaves or the service ends. Holds one page at most; a reader that
/// takes its time makes only itself wait.
struct ChangeStreamWriter: Sendable {
    /// Where a reader begins.
    enum Start: Sendable {
        case after(ChangePlace)
        /// With what happens next.
        case now(FeedBeginning)
    }

    let feed: ChangeFeed
    let filter: ChangeFilter
    let start: Start
    let channel: any Channel
    let rules: StreamRules

    func write(to writer: inout any ResponseBodyWriter) async throws {
        let watch = StallWatch(limit: rules.stall)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await watch.guardConnection(channel) }
            defer { group.cancelAll() }
            try await stream(to: &writer, watch)
        }
    }

    private func stream(
        to writer: inout any ResponseBodyWriter, _ watch: StallWatch
    ) async throws {
        let interest = feed.takeInterest()
        defer { withExtendedLifetime(interest) {} }
        let input = await ConnectionInput.of(channel)
        try await send("retry: \(StreamLimits.retryMilliseconds)\n\n", to: &writer, watch)
        guard var cursor = try await cursor(&writer, watch) else { return }
        var version: Int?
        var spoken = ContinuousClock.now
        while !Task.isCancelled, !Task.isShuttingDownGracefully, channel.isActive {
            let current = feed.version
            if version != current {
                let page = try await feed.page(after: cursor)
                cursor = page.next
                let wanted = page.changes.filter { filter.admits($0) }
                for index in wanted.indices {
                    // One event may change several chains at one place: a reader that leaves among
                    // them comes back before the first, and loses none.
                    let next = wanted.index(after: index)
                    let isLast =
                        next == wanted.endIndex || wanted[next].place != wanted[index].place
                    try await send(event(wanted[index], isLast: isLast), to: &writer, watch)
                    spoken = .now
                }
                if page.isEnd { version = current }
            }
            // A reader that says nothing more may have gone; a word to it tells. Behind every page,
            // too: there may be hours of what a filter leaves out.
            let isDoubtful = input?.isClosed ?? false
            let silence = isDoubtful ? StreamLimits.doubt : rules.heartbeat
            if spoken.duration(to: .now) > silence {
                // An id without data moves the reader's cursor past what it does not want.
                try await send("id: \(cursor)\n: still here\n\n", to: &writer, watch)
                spoken = .now
            }
            if version == current { try await Task.sleep(for: StreamLimits.poll) }
        }
    }

    /// Waits for the place where the reader begins; nil when it left before.
    private func cursor(
        _ writer: inout any ResponseBodyWriter, _ watch: StallWatch
    ) async throws -> ChangePlace? {
        let beginning: FeedBeginning
        switch start {
        case .after(let place): return place
        case .now(let awaited): beginning = awaited
        }
        var spoken = ContinuousClock.now
        while !Task.isCancelled, !Task.isShuttingDownGracefully, channel.isActive {
            if let place = beginning.place {
                // Whoever loses the connection before anything happens comes back to here.
                try await send("id: \(place)\n: begins here\n\n", to: &writer, watch)
                return place
            }
            if spoken.duration(to: .now) > rules.heartbeat {
                try await send(": still here\n\n", to: &writer, watch)
                spoken = .now
            }
            try await Task.sleep(for: StreamLimits.poll)
        }
        return nil
    }

    private func send(
        _ text: String, to writer: inout any ResponseBodyWriter, _ watch: StallWatch
    ) async throws {
        watch.note(isWriting: true)
        defer { watch.note(isWriting: false) }
        try await writer.write(ByteBuffer(string: text))
    }

    private func event(_ change: FeedChange, isLast: Bool) -> String {
        let data = String(decoding: change.body(filter), as: UTF8.self)
        let id = isLast ? "id: \(change.place)\n" : ""
        return "\(id)event: \(change.change.name.rawValue)\ndata: \(data)\n\n"
    }
}
