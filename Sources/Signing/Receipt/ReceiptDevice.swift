/// The device a receipt was made for (App Store Receipts, "Validating receipts on the device").
package enum ReceiptDevice {
    /// The value of attribute 5 in a receipt for this device: SHA-1 over the identifier, the opaque
    /// value and the bundle id's DER value.
    package static func hash(
        identifier: [UInt8], opaque: [UInt8], bundleIdValue: [UInt8]
    ) -> [UInt8] {
        SHA1Digest.hash(identifier + opaque + bundleIdValue)
    }
}
