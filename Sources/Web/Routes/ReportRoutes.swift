import Hummingbird
import LedgerService

/// What analysts count.
struct ReportRoutes: Sendable {
    let host: LedgerHost

    func add(to groups: RouteGroups) {
        groups.read.get("/v1/metrics/churn") { request, _ in
            var question = try QuestionReader(request)
            let scope = try question.periodScope()
            let words = question.metricsWords()
            let isPaid = try question.flag("paid")
            try question.requireNothingElse()
            let answer = try await host.churn(words, isPaid: isPaid, scope)
            return AnswerResponse.make(answer, for: request)
        }
        groups.read.get("/v1/metrics/:name") { request, context in
            var question = try QuestionReader(request)
            let scope = try question.periodScope()
            let words = question.metricsWords()
            try question.requireNothingElse()
            let name = try PathReader.text("name", context)
            return AnswerResponse.make(try await host.metric(name, words, scope), for: request)
        }
    }
}
