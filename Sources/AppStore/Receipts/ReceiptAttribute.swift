/// A receipt attribute: type, version, and the bytes of its octet string. Those of a type unknown
/// to this version are kept unchanged so that nothing Apple signed is lost.
public struct ReceiptAttribute: Hashable, Sendable {
    /// The type number.
    public let type: Int64
    /// Apple's version of the attribute; 1 or 2 so far.
    public let version: Int64
    /// The bytes inside the octet string: usually one DER value, sometimes opaque.
    public let value: [UInt8]

    package init(type: Int64, version: Int64, value: [UInt8]) {
        self.type = type
        self.version = version
        self.value = value
    }
}
