import AppStore
import Foundation
import Intake
import Ledger
import Signing

/// Folds the notifications of one subscription (one `originalTransactionId`) into its life, without
/// any file: states over time, what happened, and what is wrong.
///
/// The order of the notifications does not matter, and a duplicate changes nothing.
public func life(
    of signedPayloads: [String], in environment: Environment
) throws(VerificationError) -> Lifecycle {
    let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    let verifier = EvidenceVerifier()
    var facts: [Fact] = []
    for signedPayload in signedPayloads {
        let notification = try verifier.verifyNotification(
            Array(signedPayload.utf8), receivedAt: now)
        // Answers name positions: number your notifications as you keep them. If you keep when
        // each one arrived, pass that time without `isArrivalKnown: false`: late deliveries are
        // noticed then.
        let origin = FactOrigin(
            position: Int64(facts.count + 1), receivedAt: now, isArrivalKnown: false,
            trust: Trust(notification.trust), digest: SHA256.hash(notification.payloadBytes))
        facts.append(
            Fact(
                notification: notification.payload,
                transaction: notification.transaction?.payload,
                renewal: notification.renewal?.payload, origin: origin))
    }
    // A catalogue names what your products unlock; states do not need it.
    return Lifecycle(facts, environment: environment, catalogue: Catalogue())
}

/// One line for each change of state, with the position of the notification that proves it.
public func changes(of life: Lifecycle) -> [String] {
    life.transitions.map { change in
        let from = change.from.map { "\($0.rawValue) → " } ?? ""
        return "\(change.at.rfc3339) \(from)\(change.to.rawValue), by \(change.cause)"
    }
}
