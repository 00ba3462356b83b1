public import AppStore
import LedgerStore

/// Signs a plan's history on all cores and returns it in order, as lines that `ingest` reads.
/// Memory is bounded whatever the length.
public struct SignedHistory: Sendable {
    private let plan: HistoryPlan
    private let signer: DeliverySigner

    /// Deliveries signed before they are written, about 18 KiB each.
    static let deliveriesPerPiece = 256

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
        var stream = HistoryStream(plan)
        var progress = Progress()
        var toSkip = skipped
        while case let page = stream.next(), !page.isEmpty {
            let rest = page.dropFirst(toSkip)
            toSkip -= page.count - rest.count
            for deliveries in Array(rest).pieces(of: SignedHistory.deliveriesPerPiece) {
                let lines = try await Parallel.map(deliveries) { [signer] (entry) throws in
                    try signer.line(entry.delivery) + [UInt8(ascii: "\n")]
                }
                try await write(
                    Piece(lines: lines.flatMap(\.self), truths: deliveries.compactMap(\.truth)))
                progress.note(deliveries, lives: stream.lifeCount, skipped: skipped)
                report(progress)
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
