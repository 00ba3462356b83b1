/// A value with a secret in it: neither its description nor its mirror has anything but its type.
public protocol Undisclosed: CustomStringConvertible, CustomReflectable {}

extension Undisclosed {
    public var description: String { "\(Self.self)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
