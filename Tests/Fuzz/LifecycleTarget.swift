import AppStore
import Ledger
import Signing
import Simulator

/// Payloads, one per line, as the facts of one chain: the reducer is total (`Log.md` §3), and
/// the order of arrival changes nothing.
struct LifecycleTarget: FuzzTarget {
    let name = "lifecycle"
    let maximumByteCount = 8 * 1_024
    /// The reducer is unbounded; more facts only slow down the search.
    private static let maximumFactCount = 16

    func seeds(_ source: SeedSource) -> [[UInt8]] {
        let payloads = source.deliveries.map { delivery in
            var lines: [[UInt8]] = []
            if case .notification(let notification, _, _) = delivery.evidence {
                lines.append(notification.encoded())
            }
            if let transaction = delivery.transaction { lines.append(transaction.encoded()) }
            if let renewal = delivery.renewal { lines.append(renewal.encoded()) }
            return lines
        }
        let lines = payloads.map { Array($0.joined(separator: [UInt8(ascii: "\n")])) }
        return lines
            + stride(from: 0, to: lines.count - 3, by: 4).map { first in
                Array(lines[first..<(first + 4)].joined(separator: [UInt8(ascii: "\n")]))
            }
    }

    func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        let facts = LifecycleTarget.facts(bytes)
        guard !facts.isEmpty else { return }
        for environment in [Environment.production, .sandbox] {
            let life = Lifecycle(facts, environment: environment, catalogue: Catalogue())
            let turned = Lifecycle(
                facts.reversed(), environment: environment, catalogue: Catalogue())
            require(life.intervals == turned.intervals, "intervals ignore the order of arrival")
            require(
                life.transitions == turned.transitions, "transitions ignore the order of arrival")
            for (left, right) in zip(life.intervals, life.intervals.dropFirst()) {
                require(left.to == right.from, "intervals are adjacent")
            }
            for at in moments(life) {
                require(
                    life.answer(at: at, now: at) == turned.answer(at: at, now: at),
                    "answers ignore the order of arrival")
            }
            _ = life.timeline
        }
    }

    private func moments(_ life: Lifecycle) -> [Timestamp] {
        let edges = life.intervals.prefix(4).map(\.from)
        return edges + [.min, 0, 1_700_000_000_000, .max].map { Timestamp(milliseconds: $0) }
    }

    /// A renewal info line is joined to the transaction before it; a notification is joined by the
    /// two lines after it.
    private static func facts(_ bytes: UnsafeBufferPointer<UInt8>) -> [Fact] {
        var facts: [Fact] = []
        var notification: NotificationPayload?
        var transaction: TransactionPayload?
        for line in bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 3 * maximumFactCount) {
            guard facts.count < maximumFactCount else { break }
            let buffer = UnsafeBufferPointer(rebasing: line)
            // Every event has a distinct digest: repeated lines differ by the text before them.
            let origin = FactOrigin(
                position: Int64(facts.count + 1), receivedAt: Timestamp(milliseconds: 0),
                trust: .signed,
                digest: SHA256.hash(UnsafeBufferPointer(rebasing: bytes[..<line.endIndex])))
            let names = (try? JSONValue.parse(buffer))?.object.map { Set($0.map(\.key)) } ?? []
            if names.contains("notificationType") {
                notification = try? NotificationPayload.decode(buffer)
            } else if names.contains("transactionId") {
                transaction = try? TransactionPayload.decode(buffer)
                if notification == nil, let transaction {
                    facts.append(Fact(transaction: transaction, origin: origin))
                }
            } else if let renewal = try? RenewalPayload.decode(buffer) {
                if let reported = notification {
                    facts.append(
                        Fact(
                            notification: reported, transaction: transaction, renewal: renewal,
                            origin: origin))
                    notification = nil
                } else if let transaction {
                    facts.append(
                        Fact(pair: transaction, renewal: renewal, status: nil, origin: origin))
                }
            }
        }
        return facts
    }
}
