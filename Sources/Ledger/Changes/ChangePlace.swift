import AppStore

/// The place of a change in the feed of an environment; places are ordered as the feed is. Also a
/// cursor: everything up to and including this place was consumed.
///
/// A change has the position of the event that made it known. A change caused by the clock alone
/// follows the last position at that time, at the clock reading that emitted it. Without such a
/// reading it is placed at the chain's next event, before that event's own changes.
public struct ChangePlace: Hashable, Comparable, Sendable {
    /// A position of the log; 0 before the first.
    public var position: Int64
    /// Milliseconds since 1970 of the clock reading; 0 for the event's own changes.
    public var clock: Int64
    /// Index of the chain within the reading.
    public var ordinal: Int64
    /// Counts the changes of one chain at one position or reading.
    public var index: Int64

    public init(position: Int64, clock: Int64 = 0, ordinal: Int64 = 0, index: Int64 = 0) {
        self.position = position
        self.clock = clock
        self.ordinal = ordinal
        self.index = index
    }

    /// Before everything.
    public static let beginning = ChangePlace(position: 0, index: .max)

    /// After everything at the position, including its present and future readings. Only valid for
    /// a position that both the log and the clock have passed.
    public static func end(of position: Int64) -> ChangePlace {
        ChangePlace(position: position, clock: .max, ordinal: .max, index: .max)
    }

    /// After the position's own changes, before its readings.
    public static func afterEvent(at position: Int64) -> ChangePlace {
        ChangePlace(position: position, index: .max)
    }

    public static func < (left: ChangePlace, right: ChangePlace) -> Bool {
        (left.position, left.clock, left.ordinal, left.index)
            < (right.position, right.clock, right.ordinal, right.index)
    }
}

extension ChangePlace: CustomStringConvertible {
    /// `1234-0`, or for a clock reading `1234-1767225600000-0-0`: the id of a server-sent event.
    public var description: String {
        clock == 0 ? "\(position)-\(index)" : "\(position)-\(clock)-\(ordinal)-\(index)"
    }

    /// Parses `description`; a position alone is a cursor after the event's own changes. A cursor
    /// with only a position has consumed the log up to it, but not its clock readings: more of them
    /// can follow the last position of the log until the next append.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        var numbers: [Int64] = []
        for part in parts {
            guard let number = Int64(plain: part), number >= 0 else { return nil }
            numbers.append(number)
        }
        switch numbers.count {
        case 1: self = .afterEvent(at: numbers[0])
        case 2: self.init(position: numbers[0], index: numbers[1])
        case 4:
            guard numbers[1] > 0 else { return nil }
            self.init(
                position: numbers[0], clock: numbers[1], ordinal: numbers[2], index: numbers[3])
        default: return nil
        }
    }
}
