public import AppStore

/// A fault of one attempt between Apple and the receiver.
public enum DeliveryFault: Sendable, Hashable {
    /// It never arrives, but Apple records SUCCESS: a proxy answered 200.
    case lost
    /// Apple starts it later by this time.
    case late(milliseconds: Int64)
    /// After its delivery it arrives again, later by this time.
    case duplicated(milliseconds: Int64)
    /// It arrives just after the notification that follows it.
    case reordered
    /// The receiver accepts it, and the response is lost: Apple retries.
    case dropped
    /// A proxy answers with this status.
    case refused(status: Int)
    /// No response.
    case unreachable
}

/// Selects the attempts that get a fault. Notifications are counted in the order Apple signed them;
/// those of a type are counted separately.
public typealias DeliveryFaultRule = FaultRule<DeliveryFault>

extension DeliveryFault: ScriptedFault {
    public typealias Subject = NotificationType

    public static let subjectKey = "type"
    public static let subjectName = "notification type"
    public static let keys: Set<String> = ["attempts", "milliseconds", "status"]
    public static let forms = """
        lost, late or duplicated (with milliseconds), reordered, dropped, refused (with status, \
        300 to 599) or unreachable
        """

    public static func read(_ entry: JSONValue) -> DeliveryFault? {
        let wait = entry["milliseconds"]?.int64.flatMap { $0 >= 0 ? $0 : nil }
        switch entry["fault"]?.string {
        case "lost": return .lost
        case "late": return wait.map { .late(milliseconds: $0) }
        case "duplicated": return wait.map { .duplicated(milliseconds: $0) }
        case "reordered": return .reordered
        case "dropped": return .dropped
        case "refused":
            return entry["status"]?.int64.flatMap {
                (300...599).contains($0) ? .refused(status: Int($0)) : nil
            }
        case "unreachable": return .unreachable
        default: return nil
        }
    }
}
