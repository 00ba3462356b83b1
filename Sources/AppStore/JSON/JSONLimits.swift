/// Bounds of the JSON reader, whose input may be hostile.
public enum JSONLimits {
    /// Most nested containers. Apple's payloads need five.
    public static let depth = 32
    /// Keys of one object compared linearly; beyond this a hash set is used, so that the time for
    /// an object of many keys is linear in its size.
    static let keysComparedLinearly = 32
}
