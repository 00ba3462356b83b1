import AppStore
import LedgerStore
import Signing

extension NewQuarantineItem {
    /// Evidence that was refused, with why and whose it is. Genuine evidence of a configured app is
    /// always kept, also when this version cannot decode it.
    package init(_ refusal: Refusal, isConfiguredApp: Bool) {
        let bytes = Redaction.withoutPasswords(refusal.submission.line)
        // There is nothing to try again of what is not kept.
        let isVouched = refusal.isVouched && !bytes.isEmpty
        let standing: QuarantineStanding =
            switch refusal.standing {
            case .rejected where isVouched: .awaitingSecret
            case .rejected where refusal.code == VerificationCode.sharedSecretMissing.rawValue:
                isConfiguredApp ? .awaitingSecret : .unverifiable
            case .rejected:
                !refusal.isGenuine
                    ? .unverifiable : isConfiguredApp ? .genuineConfigured : .genuineForeign
            case .quarantined(isConfiguredApp: true): .genuineConfigured
            case .quarantined(isConfiguredApp: false): .genuineForeign
            }
        self.init(
            receivedAt: refusal.receivedAt, standing: standing, code: refusal.code,
            part: refusal.part, message: refusal.message, bundleId: refusal.bundleId,
            environment: refusal.environment,
            bytes: bytes, input: refusal.submission.input)
        // Apple is answered the same as a stranger, and does not know that there is no room.
        if isVouched { otherwise = .unverifiable }
    }

    /// A line that holds no evidence at all.
    init(unreadable error: UnreadableInput, bytes: [UInt8], receivedAt: Timestamp) {
        self.init(
            receivedAt: receivedAt, standing: .unverifiable, code: error.code,
            message: error.message, bytes: Redaction.withoutPasswords(bytes), input: error.input)
    }

    /// The copy as it may be kept: a shared secret of ours that stands in it, wherever somebody put
    /// it, is replaced; where it is spelled so that it cannot be replaced, no bytes are kept. The
    /// message says so.
    package func withheld(by secrets: SharedSecrets) -> NewQuarantineItem {
        guard let rest = secrets.replaced(in: bytes) else { return self }
        var item = self
        item.bytes = rest
        item.message +=
            rest.isEmpty
            ? " It repeats an app's shared secret: nothing of it is kept here. It stays where you"
                + " have it; take the secret out, and change it if others could read it."
            : " It repeats an app's shared secret, which this copy holds as REDACTED. The original"
                + " stays where you have it; change the secret if others could read it."
        // No secret vouches for a body that was changed.
        if item.standing == .awaitingSecret { item.standing = .unverifiable }
        item.otherwise = nil
        return item
    }
}
