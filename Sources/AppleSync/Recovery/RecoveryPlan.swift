import AppStore
import AppStoreAPI
import Ledger
import LedgerStore

/// The requests of a recovery, their order, and how a window is cut into slices for concurrent
/// requests. No I/O.
struct RecoveryPlan: Sendable {
    let request: RecoveryRequest
    /// The requested window, without the part that Apple no longer has.
    let from: Timestamp
    let to: Timestamp

    /// The pass that requests everything, after the urgent ones.
    static let everything: Int64 = 1_000
    /// The pass that checks whether one page holds everything.
    static let probe: Int64 = 0
    /// Slices of a window that does not fit on one page.
    static let sliceCount: Int64 = 32
    static let shortestMilliseconds: Int64 = 60_000
    /// Slices do not end on round times, at which many notifications may be signed, so that it does
    /// not matter whether Apple includes the end.
    static let oddMilliseconds: Int64 = 777

    /// Margins left out at the beginning of Apple's history after the first refusal, the second, …:
    /// requests take time, and Apple's clock may be ahead of ours undetected.
    static let historyMarginsMilliseconds: [Int64] = [
        10 * 60_000, 3_600_000, NotificationHistory.marginMilliseconds,
    ]

}

extension RecoveryPlan {
    /// The whole window; Apple's refusal shows how far back its history goes.
    init(_ request: RecoveryRequest) {
        self.init(request: request, from: request.from, to: request.to)
    }

    /// The part of the window that Apple still has after it refused the beginning, less a margin;
    /// nil when nothing is left, or nothing was cut off. `now` is by Apple's clock, as far as
    /// known.
    func cut(at now: Timestamp, marginMilliseconds: Int64) -> RecoveryPlan? {
        let oldest = now.advanced(
            byMilliseconds: marginMilliseconds
                - NotificationHistory.milliseconds(in: request.environment))
        guard from < oldest, oldest < to else { return nil }
        return RecoveryPlan(request: request, from: oldest, to: to)
    }

    /// The plan to which these slices belong.
    func resumed(_ slices: [RecoverySlice]) -> RecoveryPlan {
        guard let first = slices.map(\.from).min(), let last = slices.map(\.to).max() else {
            return self
        }
        return RecoveryPlan(request: request, from: first, to: request.endsNow ? last : to)
    }

    // MARK: Requests

    func question(_ slice: RecoverySlice) -> NotificationHistoryRequest {
        var question = NotificationHistoryRequest()
        question.startDate = slice.from
        question.endDate = slice.to
        question.transactionId = request.id
        question.onlyFailures = request.onlyFailures ? true : nil
        if let type = type(of: slice.pass) {
            question.notificationType = Raw(type.type)
            question.notificationSubtype = type.subtype.map { Raw($0) }
        }
        return question
    }

    private func type(of pass: Int64) -> RecoveryType? {
        guard pass > RecoveryPlan.probe, pass < RecoveryPlan.everything else { return nil }
        let types = request.types.isEmpty ? RecoveryType.urgent : request.types
        return types[Int(pass) - 1]
    }

    /// Whether a pass counts for the window; urgent passes only fetch part of it earlier.
    func isCounted(_ pass: Int64) -> Bool {
        !request.types.isEmpty || pass == RecoveryPlan.probe || pass == RecoveryPlan.everything
    }

    // MARK: Slices

    /// The first slices to walk.
    var first: [RecoverySlice] {
        guard !request.types.isEmpty else { return [whole(RecoveryPlan.probe)] }
        return request.types.indices.map { whole(Int64($0) + 1) }
    }

    private func whole(_ pass: Int64) -> RecoverySlice {
        RecoverySlice(pass: pass, from: from, to: to)
    }

    /// The slices that replace a slice whose first page is followed by another; nil: it is walked
    /// to its end. Nothing was signed after `now`.
    func pieces(of slice: RecoverySlice, now: Timestamp) -> [RecoverySlice]? {
        guard slice.from == from, slice.to == to, slice.place == nil else { return nil }
        if slice.pass == RecoveryPlan.probe {
            let urgent =
                request.isWhole
                ? RecoveryType.urgent.indices.map { whole(Int64($0) + 1) } : []
            return urgent + cut(RecoveryPlan.everything, now)
        }
        let pieces = cut(slice.pass, now)
        return pieces.count > 1 ? pieces : nil
    }

    private func cut(_ pass: Int64, _ now: Timestamp) -> [RecoverySlice] {
        // One customer's notifications are few.
        let length = request.id == nil ? min(to, max(now, from)).milliseconds(since: from) : 0
        let count = min(RecoveryPlan.sliceCount, length / RecoveryPlan.shortestMilliseconds)
        guard count > 1 else { return [whole(pass)] }
        var bounds = (1..<count).map { index in
            let time = from.milliseconds + length / count * index
            return Timestamp(milliseconds: time - time % 1_000 + RecoveryPlan.oddMilliseconds)
        }
        bounds.append(to)
        var start = from
        return bounds.map { end in
            defer { start = end }
            return RecoverySlice(pass: pass, from: start, to: end)
        }
    }
}
