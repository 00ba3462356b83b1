import AppStore
import AppStoreAPI
import Ledger
import LedgerStore

/// Which questions a recovery asks, in which order, and how a window is cut so that several can be
/// asked at once. Pure.
struct RecoveryPlan: Sendable {
    let request: RecoveryRequest
    /// What is asked for, after what Apple has no longer was cut off.
    let from: Timestamp
    let to: Timestamp

    /// The pass that asks for everything, after the urgent ones.
    static let everything: Int64 = 1_000
    /// The pass that looks whether one page holds everything.
    static let probe: Int64 = 0
    /// Pieces of a window that does not fit one page.
    static let sliceCount: Int64 = 32
    /// No piece is shorter.
    static let shortestMilliseconds: Int64 = 60_000
    /// Windows end on no round time, where many notifications may be signed: whether Apple counts
    /// the end as inside or outside then makes no difference.
    static let oddMilliseconds: Int64 = 777

    /// What is left of Apple's history at its beginning, at the first refusal, the second, …: asking
    /// takes time, and Apple's clock may be ahead of ours without telling.
    static let historyMarginsMilliseconds: [Int64] = [
        10 * 60_000, 3_600_000, NotificationHistory.marginMilliseconds,
    ]

    /// The whole window: Apple says how far back its history goes.
    init(_ request: RecoveryRequest) {
        self.init(request: request, from: request.from, to: request.to)
    }

    private init(request: RecoveryRequest, from: Timestamp, to: Timestamp) {
        self.request = request
        self.from = from
        self.to = to
    }

    /// What Apple still has of the window after it refused its beginning; nil when that is nothing,
    /// or nothing less.
    ///
    /// - Parameters:
    ///   - now: by Apple's clock, as far as it is known.
    ///   - marginMilliseconds: how much of its history is left out.
    func cut(at now: Timestamp, marginMilliseconds: Int64) -> RecoveryPlan? {
        let oldest = now.advanced(
            byMilliseconds: marginMilliseconds
                - NotificationHistory.milliseconds(in: request.environment))
        guard from < oldest, oldest < to else { return nil }
        return RecoveryPlan(request: request, from: oldest, to: to)
    }

    /// The plan that these pieces are of.
    func resumed(_ slices: [RecoverySlice]) -> RecoveryPlan {
        guard let first = slices.map(\.from).min(), let last = slices.map(\.to).max() else {
            return self
        }
        return RecoveryPlan(request: request, from: first, to: request.endsNow ? last : to)
    }

    // MARK: Questions

    /// What is asked in a pass.
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

    /// Whether what a pass brings is what was asked for: urgent ones only bring some of it earlier.
    func isCounted(_ pass: Int64) -> Bool {
        !request.types.isEmpty || pass == RecoveryPlan.probe || pass == RecoveryPlan.everything
    }

    // MARK: Pieces

    /// What is asked first.
    var first: [RecoverySlice] {
        guard !request.types.isEmpty else { return [whole(RecoveryPlan.probe)] }
        return request.types.indices.map { whole(Int64($0) + 1) }
    }

    private func whole(_ pass: Int64) -> RecoverySlice {
        RecoverySlice(pass: pass, from: from, to: to)
    }

    /// What takes the place of a piece whose first page is followed by another; nil: it is walked
    /// to its end.
    ///
    /// - Parameter now: nothing is signed later.
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
