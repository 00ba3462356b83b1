internal import AppStore
public import Ledger
import Synchronization

/// The start of a new subscription: includes every event after the log's end at the time of the
/// request, and every clock change after that time.
///
/// Known once a step of the feed ended exactly there: earlier clock changes are then before it,
/// even if the feed had been idle, and later events are after it.
public final class FeedBeginning: Sendable {
    /// The log's end at the request.
    let position: Int64
    /// The time of the request.
    let at: Timestamp
    /// Whether it was requested earlier, possibly by another process.
    private let isKept: Bool
    private let settled = Mutex<ChangePlace?>(nil)

    init(position: Int64, at: Timestamp, isKept: Bool = false) {
        self.position = position
        self.at = at
        self.isKept = isKept
    }

    /// The place to store until the feed has reached it.
    package var start: ChangePlace { .after(reading: at, at: position) }

    /// The cursor to start with; nil until the feed has reached it.
    public var place: ChangePlace? { settled.withLock { $0 } }

    /// Sets the place once the feed has reached it. A subscription with a stored start also
    /// receives what was emitted since then.
    func resolve(_ place: ChangePlace) {
        settled.withLock { $0 = isKept ? min(place, start) : place }
    }
}

/// Starts that subscribers still wait for.
struct WaitingBeginnings {
    private struct Entry {
        weak var beginning: FeedBeginning?
    }

    private var entries: [Entry] = []

    /// In order of request.
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
    /// The place after all clock changes up to that time at the position.
    static func after(reading at: Timestamp, at position: Int64) -> ChangePlace {
        ChangePlace(
            position: position, clock: at.milliseconds, ordinal: .max, index: .max)
    }

    /// Whether it is the start of a subscription that has received nothing: no page ends at a time
    /// without a clock change.
    package var isBeginning: Bool {
        clock > 0 && clock < .max && ordinal == .max && index == .max
    }
}
