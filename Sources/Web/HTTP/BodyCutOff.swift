/// A body whose sender was gone, or was cut off, before all of it had arrived. Nobody waits for the
/// answer: it is counted among what cannot be answered, and no failure of the service.
struct BodyCutOff: Error {
    /// What the connection said; for its type only.
    let cause: any Error
}
