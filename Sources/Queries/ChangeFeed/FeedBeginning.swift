internal import AppStore
public import Ledger
import Synchronization

/// From where somebody is told who follows a feed from now on: every event after the log's end when
/// it was asked for, and what the clock makes true after that moment.
///
/// Known once a step of the feed ended just there: what the clock had made true before stands
/// before it, however long nobody had looked, and whatever arrived meanwhile stands behind it.
public final class FeedBeginning: Sendable {
    /// The log's end when it was asked for.
    let position: Int64
    /// The moment.
    let at: Timestamp
    /// Whether it was asked for earlier, maybe in another process.
    private let isKept: Bool
    private let settled = Mutex<ChangePlace?>(nil)

    init(position: Int64, at: Timestamp) {
        self.position = position
        self.at = at
        isKept = false
    }

    /// One that was asked for earlier and stood there.
    init(kept start: ChangePlace) {
        position = start.position
        at = Timestamp(milliseconds: start.clock)
        isKept = true
    }

    /// What to keep of it until the feed came there.
    package var start: ChangePlace { .after(reading: at, at: position) }

    /// The cursor to begin with; nil until the feed came so far.
    public var place: ChangePlace? { settled.withLock { $0 } }

    /// The feed came there. What it told since a beginning that was kept is news to whoever began.
    func settle(_ place: ChangePlace) {
        settled.withLock { $0 = isKept ? min(place, start) : place }
    }
}

/// Those beginnings that somebody still waits for.
struct WaitingBeginnings {
    private struct Entry {
        weak var beginning: FeedBeginning?
    }

    private var entries: [Entry] = []

    /// In the order in which they were asked for.
    var all: [FeedBeginning] { entries.compactMap(\.beginning) }

    mutating func add(_ beginning: FeedBeginning) {
        entries.removeAll { $0.beginning == nil }
        entries.append(Entry(beginning: beginning))
    }

    mutating func remove(_ settled: [FeedBeginning]) {
        entries.removeAll { entry in
            entry.beginning.map { one in settled.contains { $0 === one } } ?? true
        }
    }
}

extension ChangePlace {
    /// After everything that the clock told by that moment behind the position.
    static func after(reading at: Timestamp, at position: Int64) -> ChangePlace {
        ChangePlace(
            position: position, clock: at.milliseconds, ordinal: .max, index: .max)
    }

    /// Whether it is where somebody began to whom nothing was told yet: no page of the feed ends
    /// behind a moment at which the clock told nothing.
    package var isBeginning: Bool {
        clock > 0 && clock < .max && ordinal == .max && index == .max
    }
}
