import Service

/// Counts every notification from the service as a step.
struct StepObserver: ServingObserver {
    let steps: Steps

    func verified(_ elapsed: Duration) { steps.pass("verified") }
    func appended(_ elapsed: Duration) { steps.pass("appended") }
    func took(_ outcome: IntakeOutcome) { steps.pass("reported") }
}
