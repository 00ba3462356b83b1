/// Bounds of the JSON reader. Everything read here may be hostile.
public enum JSONLimits {
    /// Containers open at once. Apple's payloads need five.
    public static let depth = 32
    /// Keys of one object compared one by one; beyond this a hash set takes over, so that an
    /// object of many keys costs time in proportion to its size.
    static let keysComparedLinearly = 32
}
