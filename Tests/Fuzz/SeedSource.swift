import AppStore
import Ledger
import Signing
import Simulator

/// Valid inputs to start with: a few simulated lives, and one payload of each kind with every
/// field.
struct SeedSource {
    let authority: Authority

    private static let lifeSeeds: ClosedRange<UInt64> = 1...6
    private static let deliveriesPerLife = 4

    /// The first deliveries of some lives, including all three forms of evidence.
    var deliveries: [Delivery] {
        let world = SubscriberWorld()
        return SeedSource.lifeSeeds.flatMap { seed in
            world.life(seed: seed).deliveries.prefix(SeedSource.deliveriesPerLife)
        }
    }

    /// Decoded transactions.
    var transactions: [[UInt8]] {
        [Array(FullPayloads.minified(FullPayloads.transaction).utf8)]
            + deliveries.compactMap { $0.transaction?.encoded() }
    }

    /// Decoded renewal infos, including the literal `null` (App Store Server Notifications,
    /// notificationType).
    var renewals: [[UInt8]] {
        [Array(FullPayloads.minified(FullPayloads.renewal).utf8), Array("null".utf8)]
            + deliveries.compactMap { $0.renewal?.encoded() }
    }

    /// Decoded notifications whose signed parts are signed.
    var notifications: [[UInt8]] {
        get throws {
            let signer = DeliverySigner(authority: authority)
            var all = [Array(FullPayloads.minified(FullPayloads.notification).utf8)]
            for delivery in deliveries {
                guard
                    case .notification(var notification, let transaction, let renewal) =
                        delivery.evidence
                else { continue }
                if let transaction {
                    notification.data?.signedTransactionInfo = try signer.sign(
                        transaction.encoded())
                }
                if let renewal {
                    notification.data?.signedRenewalInfo = try signer.sign(renewal.encoded())
                }
                all.append(notification.encoded())
            }
            return all
        }
    }

    /// Lines in the format of `ingest`.
    var lines: [[UInt8]] {
        get throws {
            let signer = DeliverySigner(authority: authority, appAppleId: 1_234_567_890)
            return try deliveries.map { try signer.line($0) }
        }
    }

    /// The facts of the payloads.
    var facts: [Fact] {
        deliveries.map { delivery in
            let origin = FactOrigin(
                position: Int64(delivery.ordinal), receivedAt: delivery.receivedAt, trust: .signed,
                digest: SHA256.hash([1]))
            switch delivery.evidence {
            case .notification(let notification, let transaction, let renewal):
                return Fact(
                    notification: notification, transaction: transaction, renewal: renewal,
                    origin: origin)
            case .transaction(let transaction):
                return Fact(transaction: transaction, origin: origin)
            case .pair(let transaction, let renewal, let status):
                return Fact(pair: transaction, renewal: renewal, status: status, origin: origin)
            }
        }
    }
}
