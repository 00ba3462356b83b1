/// Members of a wire object under keys this version does not know, in the order they came, so that
/// nothing Apple signed is lost between decoding and encoding.
public struct UnknownMembers: Hashable, Sendable {
    /// In the order they came.
    public var members: [JSONMember]

    /// None.
    @inlinable
    public init() { members = [] }

    /// These, in this order.
    public init(_ members: [JSONMember]) { self.members = members }

    /// Every key was known.
    public var isEmpty: Bool { members.isEmpty }

    /// The value under `key`, if there is one.
    public subscript(key: String) -> JSONValue? {
        members.first { $0.key == key }?.value
    }

    /// Adds a member after the others.
    public mutating func append(_ member: JSONMember) { members.append(member) }
}
