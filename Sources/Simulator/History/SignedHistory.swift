public import AppStore
import Foundation

/// Signs a plan's history on all cores and returns it in order, as lines that `ingest` reads.
/// Memory is bounded whatever the length.
public struct SignedHistory: Sendable {
    private let plan: HistoryPlan
    private let signer: DeliverySigner

    /// Deliveries signed per work item.
    static let deliveriesPerPiece = 64

    /// The progress of a history.
    public struct Progress: Sendable {
        /// Deliveries written, skipped ones included.
        public internal(set) var events = 0
        /// Lives started, whether written yet or not.
        public internal(set) var lives = 0
        /// Arrival of the first and the last delivery written.
        public internal(set) var first: Timestamp?
        public internal(set) var last: Timestamp?
    }

    /// Lines, each with its line feed, and the truths of lives they complete.
    public struct Piece: Sendable {
        public let lines: [UInt8]
        public let truths: [HistoryTruth]
    }

    /// The plan's history, signed by `authority`.
    public init(_ plan: HistoryPlan, authority: Authority) {
        self.plan = plan
        signer = DeliverySigner(authority: authority, appAppleId: plan.world.appAppleId)
    }

    /// Writes the history after its first `skipped` deliveries, which are generated but not signed;
    /// returns the progress, which `report` receives after each piece. `write` receives the pieces
    /// in order; an error stops the history, and a slow one delays signing.
    @discardableResult
    public func emit(
        skipping skipped: Int = 0, report: (Progress) -> Void = { _ in },
        to write: (Piece) async throws -> Void
    ) async throws -> Progress {
        var source = PieceSource(plan, skipped: skipped)
        var progress = Progress()
        let width = 2 * ProcessInfo.processInfo.activeProcessorCount
        try await withThrowingTaskGroup(of: (Int, Piece).self) { group in
            var ready: [Int: Piece] = [:]
            var deliveries: [Int: [HistoryDelivery]] = [:]
            var (begun, reported) = (0, 0)
            while true {
                while begun - reported < width, let next = source.next() {
                    deliveries[begun] = next
                    group.addTask { [signer, begun] in (begun, try Piece(next, signer)) }
                    begun += 1
                }
                guard let (index, piece) = try await group.next() else { break }
                ready[index] = piece
                while let piece = ready.removeValue(forKey: reported) {
                    try await write(piece)
                    let done = deliveries.removeValue(forKey: reported) ?? []
                    reported += 1
                    progress.note(done, lives: source.lifeCount, skipped: skipped)
                    report(progress)
                }
            }
        }
        return progress
    }
}

extension SignedHistory.Progress {
    fileprivate mutating func note(_ done: [HistoryDelivery], lives: Int, skipped: Int) {
        events = max(events, skipped) + done.count
        self.lives = lives
        first = first ?? done.first?.delivery.receivedAt
        last = done.last?.delivery.receivedAt ?? last
    }
}

extension SignedHistory.Piece {
    fileprivate init(_ deliveries: [HistoryDelivery], _ signer: DeliverySigner) throws {
        var lines: [UInt8] = []
        for entry in deliveries {
            lines += try signer.line(entry.delivery)
            lines.append(UInt8(ascii: "\n"))
        }
        self.lines = lines
        truths = deliveries.compactMap(\.truth)
    }
}

/// Splits a stream into work items.
private struct PieceSource {
    private var stream: HistoryStream
    private var page: ArraySlice<HistoryDelivery> = []
    private var toSkip: Int

    init(_ plan: HistoryPlan, skipped: Int) {
        stream = HistoryStream(plan)
        toSkip = skipped
    }

    var lifeCount: Int { stream.lifeCount }

    mutating func next() -> [HistoryDelivery]? {
        while page.isEmpty {
            page = stream.next()[...]
            if page.isEmpty { return nil }
            let dropped = min(toSkip, page.count)
            page = page.dropFirst(dropped)
            toSkip -= dropped
        }
        defer { page = page.dropFirst(SignedHistory.deliveriesPerPiece) }
        return Array(page.prefix(SignedHistory.deliveriesPerPiece))
    }
}
