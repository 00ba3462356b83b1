/// Members of a wire object with keys unknown to this version, in input order, so that decoding and
/// encoding lose nothing that Apple signed.
public struct UnknownMembers: Hashable, Sendable {
    /// In input order.
    public var members: [JSONMember]

    /// None.
    @inlinable
    public init() { members = [] }

    public init(_ members: [JSONMember]) { self.members = members }

    /// Every key was known.
    public var isEmpty: Bool { members.isEmpty }

    /// The value under `key`, if any.
    public subscript(key: String) -> JSONValue? {
        members.first { $0.key == key }?.value
    }

    /// Adds a member after the others.
    public mutating func append(_ member: JSONMember) { members.append(member) }
}
