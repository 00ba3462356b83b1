import AppStore
import Ledger
import Simulator

/// An independent roll-forward: it queries every chain just before and at every time, without
/// intervals and movements.
struct PlainRollForward {
    /// A chain's answers at the times queried.
    struct Chain {
        let life: Lifecycle
        private var answers: [Timestamp: ChainAnswer?] = [:]
        private let lastMoment = Timestamp(milliseconds: .max)

        init(_ life: Lifecycle) { self.life = life }

        mutating func answer(_ at: Timestamp) -> ChainAnswer? {
            if let known = answers[at] { return known }
            let answer = life.answer(at: at, now: lastMoment)
            answers[at] = .some(answer)
            return answer
        }
    }

    /// A group's cells by name, `activeStart` and `activeEnd` among them.
    typealias Cells = [String: Int64]

    let measure: RollForwardQuery.Measure
    let dimensions: [Dimension]
    let filters: [Dimension: Set<String?>]
    let catalogue: Catalogue
    /// The length of a payment where the catalogue states none.
    var lengths: [TransactionId: ISO8601Period] = [:]

    private var isByReason: Bool { dimensions.contains(.reason) }

    func cells(
        _ chains: inout [Chain], from: Timestamp, to: Timestamp
    ) -> [[String?]: Cells] {
        var cells: [[String?]: Cells] = [:]
        for index in chains.indices {
            let start = chains[index].answer(from.advanced(byMilliseconds: -1))
            let end = chains[index].answer(to.advanced(byMilliseconds: -1))
            add("activeStart", start, nil, &cells)
            add("activeEnd", end, nil, &cells)
            for interval in chains[index].life.intervals
            where from <= interval.from && interval.from < to {
                move(&chains[index], interval.from, &cells)
            }
        }
        return cells.mapValues { $0.filter { $0.value != 0 } }.filter { !$0.value.isEmpty }
    }

    private func add(
        _ name: String, _ answer: ChainAnswer?, _ reason: String?, _ cells: inout [[String?]: Cells]
    ) {
        guard let answer, counts(answer) else { return }
        cells[key(answer, reason), default: [:]][name, default: 0] += amount(answer)
    }

    private func move(
        _ chain: inout Chain, _ moment: Timestamp, _ cells: inout [[String?]: Cells]
    ) {
        let before = chain.answer(moment.advanced(byMilliseconds: -1))
        guard let after = chain.answer(moment) else { return }
        let (was, isNow) = (before.map { counts($0) } ?? false, counts(after))
        if was, isNow, let before {
            let (old, new) = (key(before, nil), key(after, nil))
            if old != new {
                add("movedOut", before, nil, &cells)
                add("movedIn", after, nil, &cells)
            } else if amount(after) != amount(before) {
                let more = amount(after) - amount(before)
                let name = more > 0 ? "expansion" : "contraction"
                cells[new, default: [:]][name, default: 0] += abs(more)
            }
        } else if isNow {
            add(entry(chain.life, before, moment), after, nil, &cells)
        } else if was, let before {
            leave(chain.life, before, after, moment, &cells)
        }
    }

    private func entry(_ life: Lifecycle, _ before: ChainAnswer?, _ moment: Timestamp) -> String {
        let wasEver = life.intervals.contains { $0.from < moment && $0.state.isEntitled }
        guard wasEver, let before else {
            let isMissing = life.notices.contains { $0.code == .historyMissingBefore }
            return isMissing ? "appeared" : "new"
        }
        if before.state.isEntitled {
            return measure != .chains && isOwn(before) && before.phase == .trial
                ? "converted" : "movedIn"
        }
        switch before.state {
        case .billingRetry: return "recovered"
        case .revoked:
            let after = life.answer(at: moment, now: moment)
            return after?.transactionId == before.transactionId ? "reinstated" : "reactivated"
        default: return "reactivated"
        }
    }

    private func leave(
        _ life: Lifecycle, _ before: ChainAnswer, _ after: ChainAnswer, _ moment: Timestamp,
        _ cells: inout [[String?]: Cells]
    ) {
        guard !after.state.isEntitled else {
            let isFree = measure != .chains && isOwn(after) && after.phase == .trial
            return add(isFree ? "toFree" : "movedOut", before, nil, &cells)
        }
        let transition = life.transitions.first { $0.at == moment }
        let reason = transition?.reason?.rawValue ?? "none"
        if isByReason {
            add("movedOut", before, nil, &cells)
            add("movedIn", before, reason, &cells)
        }
        add("churned.\(reason)", before, isByReason ? reason : nil, &cells)
    }

    // MARK: Counting

    private func isOwn(_ answer: ChainAnswer) -> Bool {
        answer.ownership != .familyShared && answer.ownership != .assigned
    }

    private func counts(_ answer: ChainAnswer) -> Bool {
        guard [.subscribed, .renewing, .grace].contains(answer.state), isOwn(answer) else {
            return false
        }
        if measure != .chains, answer.phase == .trial { return false }
        return filters.allSatisfy { $0.value.contains(value(answer, $0.key)) }
    }

    private func key(_ answer: ChainAnswer, _ reason: String?) -> [String?] {
        let first: [String?] = measure == .money ? [answer.price?.currency] : []
        let named = dimensions.filter { measure != .money || $0 != .currency }
        return first + named.map { $0 == .reason ? reason : value(answer, $0) }
    }

    private func value(_ answer: ChainAnswer, _ dimension: Dimension) -> String? {
        switch dimension {
        case .app: SubscriberWorld().bundleId.rawValue
        case .product: answer.productId?.rawValue
        case .group: answer.productId.flatMap { catalogue.products[$0]?.group }
        case .country, .storefront: answer.storefront
        case .currency: answer.price?.currency
        case .offer: answer.offer?.label
        case .offerType: answer.offer?.type.map { "\($0.rawValue)" }
        case .offerIdentifier: answer.offer?.identifier
        case .offerDiscountType: answer.offer?.discountType?.rawValue
        case .phase: answer.phase.rawValue
        case .ownership: answer.ownership.rawValue
        case .reason: nil
        }
    }

    /// Payments per year: the simulated catalogue's products last months or a week; without a
    /// catalogue a length may be of any days.
    private func amount(_ answer: ChainAnswer) -> Int64 {
        guard measure == .money else { return 1 }
        guard let price = answer.price, let product = answer.productId,
            let period = catalogue.products[product]?.period ?? lengths[answer.transactionId]
        else { return 0 }
        var length = period
        if answer.offer?.discountType?.value == .payUpFront, let stated = answer.offer?.period {
            length = ISO8601Period(stated) ?? period
        }
        if length.months > 0 { return price.milliunits * 12 / length.months }
        guard length.days % 7 != 0 else { return price.milliunits * 52 * 7 / length.days }
        let (whole, rest) = (price.milliunits * 365).quotientAndRemainder(dividingBy: length.days)
        let isUp = rest * 2 > length.days || (rest * 2 == length.days && whole % 2 == 1)
        return whole + (isUp ? 1 : 0)
    }
}
