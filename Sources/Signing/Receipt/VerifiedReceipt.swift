public import AppStore

/// An app receipt that is believed. It is what the App Store said at `receipt.creationDate`, and
/// knows no renewal state.
public struct VerifiedReceipt: Sendable {
    /// The decoded payload.
    public let receipt: AppReceipt
    /// The receipt as BER, byte by byte as it came once base64 was taken off: the evidence.
    public let bytes: [UInt8]
    /// The payload as it was signed.
    public let payloadBytes: [UInt8]
    /// The date the chain was checked at: the receipt's creation (`lifecycle.md` §1).
    public let effectiveDate: Timestamp
    /// On whose word it is believed.
    public let trust: EvidenceTrust
    /// The certificates above the signature; nil for Xcode's receipts, which have none that matter.
    public let chain: ReceiptChain?

    /// SHA-256 of the root the chain ends in; nil for local data.
    public var rootFingerprint: Digest? { chain?.rootFingerprint }
    /// Whether the chain ends in Apple's own root.
    public var usesAppleRoot: Bool { trust.usesAppleRoot }

    /// Throws `wrongDevice` unless the receipt was made for the device of this identifier: the 16
    /// bytes of `identifierForVendor` on iOS, the hardware address on macOS (App Store Receipts,
    /// "Validating receipts on the device").
    public func requireDevice(_ identifier: [UInt8]) throws(VerificationError) {
        guard !receipt.deviceHash.isEmpty, !receipt.opaqueValue.isEmpty else {
            throw VerificationError(
                .wrongDevice, reason: "The receipt holds nothing a device could be known by.")
        }
        let hash = ReceiptDevice.hash(
            identifier: identifier, opaque: receipt.opaqueValue,
            bundleIdValue: receipt.bundleIdValue)
        guard hash == receipt.deviceHash else {
            throw VerificationError(
                .wrongDevice, reason: "The receipt was made for another device.")
        }
    }
}
