import AppStore
import Ledger

/// Deliveries that only one of two states of knowledge contains: those that may have changed the
/// suspected outages between them.
struct KnownDeliveries: Sendable {
    private var byApp: [BundleId: [(position: Int64, delivery: NotificationDelivery)]] = [:]

    mutating func add(_ fact: Fact, of app: BundleId) {
        guard fact.cause.kind == .notification, let signed = fact.signedDate else { return }
        let delivery = NotificationDelivery(receivedAt: fact.receivedAt, signedAt: signed)
        byApp[app, default: []].append((fact.position, delivery))
    }

    mutating func add(_ other: KnownDeliveries) {
        byApp.merge(other.byApp, uniquingKeysWith: +)
    }

    /// Deliveries signed or received in windows that only one of the two suspects. Where there were
    /// none, the usual silence changed, and every delivery of the app contributed to that.
    func about(_ outages: Set<SuspectedOutage>) -> Set<Int64> {
        var positions: Set<Int64> = []
        for (app, windows) in Dictionary(grouping: outages, by: \.app) {
            let known = byApp[app] ?? []
            let inside = known.filter { _, delivery in
                windows.contains {
                    let span = $0.window.from...$0.window.to
                    return span.contains(delivery.receivedAt) || span.contains(delivery.signedAt)
                }
            }
            positions.formUnion((inside.isEmpty ? known : inside).map(\.position))
        }
        return positions
    }
}
