public import AppStore

/// An object of a request or response. Unknown members are ignored: nothing in it is signed, and
/// `APIResponse.body` keeps the response as received.
public protocol APIObject: WireObject {}

extension APIObject {
    /// Always empty.
    public var unknown: [JSONMember] {
        get { [] }
        set {}
    }
}
