import AppStore
import Simulator

extension ServedRecords {
    /// Number of notifications.
    package var sentCount: Int { sent.count }

    /// When the first and the last notification were signed; nil if there are none.
    package var sentSpan: ClosedRange<Timestamp>? {
        guard let first = sent.first, let last = sent.last else { return nil }
        return first.signedDate...last.signedDate
    }
}
