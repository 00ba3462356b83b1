import AppStore
import LedgerStore
import Signing

extension NewQuarantineItem {
    /// Refused evidence with its reason and owner. Genuine evidence of a configured app is always
    /// kept, even when this version cannot decode it.
    package init(_ refusal: Refusal) {
        let bytes = Redaction.withoutPasswords(refusal.submission.line)
        // Without a copy there is nothing to retry.
        let isConfirmed = refusal.isConfirmed && !bytes.isEmpty
        let standing: QuarantineStanding =
            switch refusal.standing {
            case .rejected where isConfirmed: .awaitingSecret
            case .rejected where refusal.code == VerificationCode.sharedSecretMissing.rawValue:
                refusal.isConfiguredApp ? .awaitingSecret : .unverifiable
            case .rejected where !refusal.isGenuine: .unverifiable
            case .rejected, .quarantined:
                refusal.isConfiguredApp ? .genuineConfigured : .genuineForeign
            }
        self.init(
            receivedAt: refusal.receivedAt, standing: standing, code: refusal.code,
            part: refusal.part, message: refusal.message, bundleId: refusal.bundleId,
            environment: refusal.environment,
            bytes: bytes, input: refusal.submission.input)
        // Without room there, it is kept as unverifiable; the response is the same either way.
        if isConfirmed { otherwise = .unverifiable }
    }

    /// A line that holds no evidence at all.
    init(unreadable error: IngestError, bytes: [UInt8], receivedAt: Timestamp) {
        self.init(
            receivedAt: receivedAt, standing: .unverifiable, code: error.code,
            message: error.message, bytes: Redaction.withoutPasswords(bytes), input: error.input)
    }

    /// The copy to be kept: shared secrets of configured apps are replaced wherever they occur;
    /// where the spelling prevents that, no bytes are kept. The message says so.
    package func withheld(by secrets: SharedSecrets) -> NewQuarantineItem {
        guard let rest = secrets.replaced(in: bytes) else { return self }
        var item = self
        item.bytes = rest
        item.message +=
            rest.isEmpty
            ? " The input contains an app's shared secret and is not kept here. The original"
                + " is unchanged; remove the secret, and change it if others could read it."
            : " The input contains an app's shared secret, which is REDACTED in this copy. The"
                + " original stays where you have it; change the secret if others could read it."
        // No secret authenticates a modified body.
        if item.standing == .awaitingSecret { item.standing = .unverifiable }
        item.otherwise = nil
        return item
    }
}
