import AppStore
import Ledger
import LedgerStore
import LedgerTestSupport
import Signing
import Simulator

/// Events of simulated lives in the form of the log, under ids of every kind. Signatures are random
/// bytes, which the store never checks.
enum SimulatedEvents {
    /// Notifications and transactions of several lives, interleaved; two apps share every id of
    /// `SimulatedChains.unusualIds`. The last event belongs to no chain.
    static func make() throws -> [NewEvent] {
        let world = SubscriberWorld()
        var lives: [[NewEvent]] = []
        for (index, id) in SimulatedChains.unusualIds.enumerated() {
            for (place, app) in [SimulatedChains.otherApp, SimulatedChains.app].enumerated() {
                let life = world.life(seed: UInt64(2 * index + place + 1))
                lives.append(
                    try life.deliveries.compactMap {
                        try event($0, SimulatedChains.id(app, id))
                    })
            }
        }
        var events: [NewEvent] = []
        for index in 0..<(lives.map(\.count).max() ?? 0) {
            events += lives.compactMap { index < $0.count ? $0[index] : nil }
        }
        return events + [
            try Sample.event("no chain", kind: .sweep, evidence: .verbatim(Array("{}".utf8)))
        ]
    }

    /// Nil for a pair, whose evidence has two tokens.
    static func event(_ delivery: Delivery, _ chain: ChainId) throws -> NewEvent? {
        let (kind, payload): (EventKind, [UInt8])
        switch delivery.evidence {
        case .notification(var notification, let transaction, let renewal):
            notification.data?.signedTransactionInfo = transaction.map { token($0.encoded()) }
            notification.data?.signedRenewalInfo = renewal.map { token($0.encoded()) }
            (kind, payload) = (.notification, notification.encoded())
        case .transaction(let transaction): (kind, payload) = (.transaction, transaction.encoded())
        case .pair: return nil
        }
        let ids = [
            chain.bundleId.rawValue, chain.originalTransactionId.rawValue,
            "\(delivery.ordinal)",
        ]
        return NewEvent(
            key: EventKey.make(kind, ids),
            attributes: EventAttributes(
                kind: kind, source: .webhook, trust: .signed, bundleId: chain.bundleId,
                chain: chain.originalTransactionId, signedAt: delivery.signedDate,
                rootFingerprint: SHA256.hash([1])),
            receivedAt: delivery.receivedAt, receivedAtClaimed: true,
            evidence: try Sample.packer.pack(.jws(Array(token(payload).utf8))))
    }

    private static func token(_ payload: [UInt8]) -> String {
        // A short header: facts do not depend on it.
        Sample.token(String(decoding: payload, as: UTF8.self), header: Sample.otherHeader)
    }
}
