import AppStore
import Ledger
import Simulator

/// A life as a plain ledger: sales derived from payloads alone, and the states that the chain
/// answers with. Independent of periods, records and intervals.
struct PlainLife {
    let life: Lifecycle
    let sales: [Sale]
    /// Every statement, each piece of evidence once, in the order of signing.
    let stated: [Delivery]
    /// Renewal infos in the order in which they were signed; each with the place of its evidence
    /// in `stated`.
    let renewalInfos: [(at: Timestamp, place: Int)]
    /// The chain's states in order.
    let states: [State]

    /// One sale, however often it was stated or restored.
    struct Sale {
        /// As stated last.
        var payload: TransactionPayload
        var ids: Set<TransactionId>
        var bought: Timestamp
        var statedEnd: Timestamp
        /// Before any extension.
        var firstEnd: Timestamp?
        var firstStated: Timestamp
        var isRenewal: Bool
        var refunds: [Refund]
        /// Whether another replaced it before it began.
        var isReplaced = false
        /// From when it governs, and when it ends: at its end, or when the next one begins.
        var start = Timestamp(milliseconds: 0)
        var end = Timestamp(milliseconds: 0)
    }

    struct Refund {
        var from: Timestamp
        var to: Timestamp?
        /// When it was last stated.
        var last: Timestamp
        /// Thousandths of a percent.
        var percentage: Int64
    }

    struct State {
        var name: String
        var from: Timestamp
        var to: Timestamp?
        var sale: Int

        var isEntitled: Bool { ["subscribed", "renewing", "grace"].contains(name) }
    }

    init(_ deliveries: [Delivery], _ life: Lifecycle) {
        self.life = life
        stated = Dictionary(grouping: deliveries, by: \.ordinal).values.compactMap(\.first)
            .sorted { ($0.time, $0.ordinal) < ($1.time, $1.ordinal) }
        renewalInfos = stated.enumerated().compactMap { place, delivery in
            delivery.renewal.map { ($0.signedDate ?? delivery.time, place) }
        }.sorted { ($0.at, $0.place) < ($1.at, $1.place) }
        var sales = life.isOneTime ? PlainLife.purchases(deliveries) : PlainLife.sales(deliveries)
        // A history may begin, or a period be counted, later than its purchase.
        // One that was replaced before it began counts from where its replacement does.
        for index in sales.indices.reversed() {
            let governed = life.intervals.first { sales[index].ids.contains($0.transactionId) }
            let bought = sales[index].bought
            let next = index + 1 < sales.count ? sales[index + 1].start : bought
            sales[index].start = governed?.from ?? min(bought, next)
        }
        for index in sales.indices {
            let next = index + 1 < sales.count ? sales[index + 1].start : nil
            let end = max(sales[index].bought, sales[index].statedEnd)
            sales[index].end = max(sales[index].start, next.map { min($0, end) } ?? end)
        }
        self.sales = sales
        states = life.intervals.map { interval in
            State(
                name: interval.state.rawValue, from: interval.from, to: interval.to,
                sale: sales.firstIndex { $0.ids.contains(interval.transactionId) } ?? -1)
        }
    }

    // MARK: Sales

    private static func sales(_ deliveries: [Delivery]) -> [Sale] {
        var byId: [TransactionId: [Delivery]] = [:]
        for delivery in deliveries {
            guard let id = delivery.transaction?.transactionId else { continue }
            byId[id, default: []].append(delivery)
        }
        var sales: [Sale] = []
        for (id, found) in byId.sorted(by: { $0.key < $1.key }) {
            let one = sale(found, ids: [id])
            // A restore has the line item of its original, and overlaps it.
            let item = one.payload.webOrderLineItemId.map(\.rawValue) ?? "0"
            let same = sales.firstIndex { other in
                item != "0" && other.payload.webOrderLineItemId?.rawValue == item
                    && other.begun < one.statedEnd && one.begun < other.statedEnd
                    && !one.isBoughtAgain(after: other) && !other.isBoughtAgain(after: one)
            }
            if let same { sales[same] = joined(sales[same], one) } else { sales.append(one) }
        }
        let sorted = sales.sorted { left, right in
            if left.bought != right.bought { return left.bought < right.bought }
            let (one, two) = (left.payload.isUpgraded == true, right.payload.isUpgraded == true)
            if one != two { return one }
            let (a, b) = (left.payload.transactionId!, right.payload.transactionId!)
            if a.rawValue.count != b.rawValue.count { return a.rawValue.count < b.rawValue.count }
            return a < b
        }
        return sorted.reduce(into: []) { ordered, sale in
            var sale = sale
            let place = ordered.firstIndex { sale.isReplaced(by: $0) }
            sale.isReplaced = place != nil
            ordered.insert(sale, at: place ?? ordered.count)
        }
    }

    /// All transactions of a one-time purchase are one, until one is bought after the refund of
    /// another that was not reversed before.
    private static func purchases(_ deliveries: [Delivery]) -> [Sale] {
        let about = deliveries.filter { $0.transaction?.transactionId != nil }
        let copies = Set(about.compactMap { $0.transaction?.transactionId }).sorted().map { id in
            sale(about.filter { $0.transaction?.transactionId == id }, ids: [id])
        }
        var groups: [[Sale]] = []
        for copy in copies.sorted(by: { $0.bought < $1.bought }) {
            let isBoughtAgain = (groups.last ?? []).contains { copy.isBoughtAgain(after: $0) }
            if isBoughtAgain || groups.isEmpty { groups.append([]) }
            groups[groups.count - 1].append(copy)
        }
        return groups.map { group in
            let ids = Set(group.flatMap(\.ids))
            var sold = sale(about.filter { ids.contains($0.transaction!.transactionId!) }, ids: ids)
            // The original of a restored copy was bought before.
            sold.bought = group[0].bought
            sold.refunds = []
            for refund in group.flatMap(\.refunds) { add(refund, to: &sold.refunds) }
            return sold
        }
    }

    /// Deliveries about one transaction, each piece of evidence once, in the order of signing.
    private static func sale(_ deliveries: [Delivery], ids: Set<TransactionId>) -> Sale {
        let stated = deliveries.sorted {
            ($0.snapshotDate, $0.ordinal) < ($1.snapshotDate, $1.ordinal)
        }
        let newest = stated[stated.count - 1].transaction!
        let purchases = stated.compactMap { $0.transaction?.purchaseDate }
        let ends = stated.compactMap { $0.transaction?.expiresDate }
        let extended = stated.compactMap { delivery -> Timestamp? in
            guard case .notification(let body, _, let renewal) = delivery.evidence,
                body.notificationType?.value == .renewalExtended
            else { return nil }
            return renewal?.renewalDate
        }
        var isRenewal = newest.transactionReason?.value == .renewal
        if newest.transactionReason == nil {
            isRenewal = stated.contains { delivery in
                guard case .notification(let body, _, _) = delivery.evidence else { return false }
                return body.notificationType?.value == .didRenew
            }
        }
        let bought = newest.purchaseDate ?? purchases.min() ?? Timestamp(milliseconds: 0)
        return Sale(
            payload: newest, ids: ids, bought: bought,
            statedEnd: (ends + extended).max() ?? bought, firstEnd: ends.min(),
            firstStated: stated[0].snapshotDate, isRenewal: isRenewal, refunds: refunds(stated))
    }

    /// The last statement determines what it was; both determine when.
    private static func joined(_ one: Sale, _ two: Sale) -> Sale {
        let isOlder =
            two.payload.signedDate ?? Timestamp(milliseconds: 0)
            < one.payload.signedDate ?? Timestamp(milliseconds: 0)
        var joined = isOlder ? one : two
        joined.ids = one.ids.union(two.ids)
        joined.bought = min(one.bought, two.bought)
        joined.statedEnd = max(one.statedEnd, two.statedEnd)
        joined.firstEnd = [one.firstEnd, two.firstEnd].compactMap(\.self).min()
        joined.firstStated = min(one.firstStated, two.firstStated)
        // Old payloads state no reason; the first one determines what it was.
        if joined.payload.transactionReason == nil {
            joined.isRenewal = one.isRenewal || two.isRenewal
        }
        joined.refunds = one.refunds
        for refund in two.refunds { add(refund, to: &joined.refunds) }
        return joined
    }

    /// Refunds of one date are one, in force until the first reversal after which none is stated.
    private static func add(_ refund: Refund, to refunds: inout [Refund]) {
        guard let same = refunds.firstIndex(where: { $0.from == refund.from }) else {
            refunds.append(refund)
            return
        }
        let last = max(refunds[same].last, refund.last)
        let ends = [refunds[same].to, refund.to].compactMap(\.self)
        refunds[same].to = ends.filter { $0 > last }.min()
        refunds[same].last = last
    }

    /// `Lifecycle.md` §2 rule 3; the revocation of a copy is not a refund.
    private static func refunds(_ stated: [Delivery]) -> [Refund] {
        var refunds: [Refund] = []
        var standing: Refund?
        for delivery in stated {
            guard let payload = delivery.transaction else { continue }
            if let date = payload.revocationDate, payload.isUpgraded != true {
                if standing?.from == date {
                    standing?.last = delivery.snapshotDate
                    continue
                }
                // As stated last for this date.
                let percentage = stated.compactMap(\.transaction).filter {
                    $0.revocationDate == date
                }.compactMap(\.revocationPercentage).last
                standing = Refund(
                    from: date, to: nil, last: delivery.snapshotDate,
                    percentage: min(max(percentage ?? 100_000, 0), 100_000))
            } else if let found = standing {
                if found.from < delivery.snapshotDate {
                    var reversed = found
                    reversed.to = delivery.snapshotDate
                    refunds.append(reversed)
                }
                standing = nil
            }
        }
        if let standing { refunds.append(standing) }
        return refunds.filter { refund in
            !stated.contains { delivery in
                guard delivery.transaction?.revocationDate == refund.from else { return false }
                switch delivery.transaction?.inAppOwnershipType?.value {
                case .assigned, .familyShared: return true
                default: break
                }
                switch delivery.transaction?.revocationType?.value {
                case .familyRevoke, .assignmentRevoke: return true
                default: break
                }
                guard case .notification(let body, _, _) = delivery.evidence else { return false }
                return body.notificationType?.value == .revoke
            }
        }
    }

    // MARK: States over time

    /// The state of a chain just before a time.
    func state(before moment: Timestamp) -> State? {
        states.last { $0.from < moment && ($0.to.map { moment <= $0 } ?? true) }
    }

    func state(at moment: Timestamp) -> State? {
        states.last { $0.from <= moment && ($0.to.map { moment < $0 } ?? true) }
    }

    /// Whether the known history begins in the middle of a subscription.
    var isAdopted: Bool {
        guard let first = sales.first?.payload, !life.isOneTime else { return false }
        guard first.transactionId?.rawValue != first.originalTransactionId?.rawValue else {
            return false
        }
        let begun = first.originalPurchaseDate?.milliseconds ?? .max
        return sales[0].isRenewal || sales[0].bought.milliseconds - 60_000 > begun
    }
}

extension Delivery {
    /// When the transaction inside was stated.
    var snapshotDate: Timestamp { transaction?.signedDate ?? time }

    /// When all of it was stated.
    var time: Timestamp { signedDate ?? Timestamp(milliseconds: 0) }
}

extension PlainLife.Sale {
    var isOwn: Bool {
        let ownership = payload.inAppOwnershipType?.rawValue
        return ownership != "FAMILY_SHARED" && ownership != "ASSIGNED"
    }

    /// When it was bought; one that was restored after its end has the date of the restore.
    var begun: Timestamp {
        Timestamp(milliseconds: min(bought.milliseconds, statedEnd.milliseconds - 1_000))
    }

    /// Bought while another one was refunded.
    func isBoughtAgain(after other: PlainLife.Sale) -> Bool {
        other.refunds.contains { refund in
            max(refund.from, other.bought) < bought && refund.to.map { $0 > bought } ?? true
        }
    }

    /// `Lifecycle.md` §2 rule 4: stated before another purchase, to begin during that one.
    func isReplaced(by other: PlainLife.Sale) -> Bool {
        firstStated < other.bought && other.bought < bought && bought < other.statedEnd
    }

    var price: Int64? { payload.currency == nil ? nil : payload.price }

    /// `Lifecycle.md` §2, `phase`.
    var phase: String {
        let (type, kind) = (payload.offerType?.rawValue, payload.offerDiscountType?.rawValue)
        if kind == "FREE_TRIAL" { return "trial" }
        if kind == nil, let type, payload.price == 0 || (payload.price == nil && type == 1) {
            return "trial"
        }
        switch type {
        case 1?: return "intro"
        case 2?, 3?, 4?: return "offer"
        default: return "standard"
        }
    }

    var isTrial: Bool { phase == "trial" }

    /// It has a price, or states none.
    var isBought: Bool { price.map { $0 > 0 } ?? !isTrial }

    func value(_ dimension: Dimension, _ catalogue: Catalogue) -> String? {
        let type = payload.offerType?.rawValue
        switch dimension {
        case .app: return payload.bundleId?.rawValue
        case .product: return payload.productId?.rawValue
        case .group:
            return payload.productId.flatMap { catalogue.products[$0]?.group }
                ?? payload.subscriptionGroupIdentifier?.rawValue
        case .country, .storefront: return payload.storefront
        case .currency: return payload.currency
        case .offer:
            let names: [Int64: String] = [
                1: "introductory", 2: "promotional", 3: "offerCode", 4: "winBack",
            ]
            let parts = [
                type.map { names[Int64($0)] ?? "\($0)" }, payload.offerIdentifier,
                payload.offerDiscountType?.rawValue,
            ]
            let stated = parts.compactMap(\.self)
            return stated.isEmpty ? nil : stated.joined(separator: "/")
        case .offerType: return type.map { "\($0)" }
        case .offerIdentifier: return payload.offerIdentifier
        case .offerDiscountType: return payload.offerDiscountType?.rawValue
        case .phase: return phase
        case .ownership:
            let words = [
                "PURCHASED": "purchased", "FAMILY_SHARED": "familyShared", "ASSIGNED": "assigned",
            ]
            return payload.inAppOwnershipType.map { words[$0.rawValue] ?? $0.rawValue }
                ?? "purchased"
        case .reason: return nil
        }
    }
}
