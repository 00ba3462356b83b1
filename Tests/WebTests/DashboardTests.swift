import AppStore
import Foundation
import LedgerStore
import TestSupport
import Testing

@testable import Web

/// The dashboard and the alert rules of `Examples`, compared with what `/metrics` exports.
@Suite("Dashboard and alert rules")
struct DashboardTests {
    /// The labels of one metric, and their exported values.
    private struct Exported {
        var labels: Set<String> = []
        /// Each as `label="value"`.
        var pairs: Set<String> = []
    }

    /// Labels of metrics that the service of these tests does not export: those about Apple's
    /// answers, and Prometheus's own.
    private static let others = [
        "up": Exported(),
        "subledger_complete_through_seconds": Exported(labels: ["environment"]),
        "subledger_reconciled_chains_total": Exported(labels: ["environment", "outcome"]),
    ]
    /// Labels that Prometheus adds to every series that it scrapes.
    private static let scraped: Set = ["instance", "job"]

    /// What a service exports, by the names that expressions use.
    private static func exported() async throws -> [String: Exported] {
        var found = others
        let text = try await MetricMeaningTests.exportedText.value
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let head = try #require(line.firstMatch(of: #/^([a-z_]+)(?:\{(.*)\})? /#))
            let pairs = (head.2 ?? "").matches(of: /([a-z_]+)="[^"]*"/)
            var metric = found[String(head.1)] ?? Exported()
            metric.labels.formUnion(pairs.map { String($0.1) })
            metric.pairs.formUnion(pairs.map { String($0.0) })
            found[String(head.1)] = metric
        }
        return found
    }

    // MARK: Expressions

    /// What an expression of PromQL names that is not exported, and what a text that shows its
    /// result names that the result does not have.
    private static func findings(
        _ expression: String, shown: String = "", _ exported: [String: Exported]
    ) -> [String] {
        let names = expression.matches(of: /\b(subledger_[a-z_]+|up\b)(?:\{([^}]*)\})?/)
        var findings = names.isEmpty ? ["no metric"] : []
        var common: Set<String>?
        for name in names {
            guard let metric = exported[String(name.1)] else {
                findings.append("the metric \(name.1)")
                continue
            }
            let labels = metric.labels.union(scraped)
            common = common?.intersection(labels) ?? labels
            for matcher in (name.2 ?? "").matches(of: /([a-z_]+)(=|!=|=~|!~)("[^"]*")/) {
                let isKnown = labels.contains(String(matcher.1))
                if !isKnown { findings.append("the label \(matcher.1) of \(name.1)") }
                let isValue = matcher.2 == "=" && !matcher.3.contains("$") && isKnown
                guard isValue, others[String(name.1)] == nil else { continue }
                let pair = "\(matcher.1)=\(matcher.3)"
                if !metric.pairs.contains(pair) { findings.append("\(pair) of \(name.1)") }
            }
        }
        let grouped = expression.matches(of: /by \(([^)]*)\)/).flatMap {
            $0.1.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        for label in grouped where common?.contains(label) == false {
            findings.append("the label \(label) of all metrics")
        }
        let isSum = expression.contains(/\b(sum|max|min|absent) ?\(/)
        let kept = grouped.isEmpty && !isSum ? common ?? [] : Set(grouped).subtracting(["le"])
        for label in shown.matches(of: /\{\{ ?(?:\$labels\.)?([a-z_]+) ?\}\}/)
        where !kept.contains(String(label.1)) {
            findings.append("the label \(label.1) of the result")
        }
        return findings
    }

    /// An expression that is wrong or right, with a text that shows its result.
    struct Example: Sendable {
        let expression: String
        var shown = ""
        var findings: [String] = []
    }

    static let examples: [Example] = [
        Example(expression: "vector(0) == 0", findings: ["no metric"]),
        Example(expression: #"up{job="x"} == 0"#, shown: "{{ $labels.instance }}"),
        Example(
            expression: "subledger_reddy == 0", findings: ["the metric subledger_reddy"]),
        Example(
            expression: #"subledger_ready{app="x"}"#,
            findings: ["the label app of subledger_ready"]),
        Example(
            expression: #"rate(subledger_revocation_checks_total{outcome="worn"}[5m])"#,
            findings: [#"outcome="worn" of subledger_revocation_checks_total"#]),
        Example(
            expression: "sum by (app) (subledger_ready)",
            findings: ["the label app of all metrics"]),
        Example(
            expression: "subledger_lag_seconds", shown: "{{app}}",
            findings: ["the label app of the result"]),
        Example(
            expression: "sum(subledger_ready)", shown: "{{ $labels.instance }}",
            findings: ["the label instance of the result"]),
        Example(
            expression: "sum by (le) (rate(subledger_verify_seconds_bucket[5m]))", shown: "p99"),
        Example(
            expression: "subledger_lag_seconds > 1",
            shown: "{{ $labels.environment }}: {{ $value }}"),
    ]

    @Test("Names that are not exported are found, and no others")
    func named() async throws {
        let exported = try await DashboardTests.exported()
        for example in DashboardTests.examples {
            let findings = DashboardTests.findings(
                example.expression, shown: example.shown, exported)
            #expect(findings == example.findings, "\(example.expression)")
        }
    }

    // MARK: Files

    private static func text(_ name: String) throws -> String {
        let file = Fixtures.repository.appending(path: "Examples/\(name)")
        return try String(contentsOf: file, encoding: .utf8)
    }

    @Test(
        "Every alert rule uses exported series and existing codes",
        arguments: [("alerts.yaml", 15), ("alerts-nodes.yaml", 3)])
    func rules(file: String, count: Int) async throws {
        let exported = try await DashboardTests.exported()
        let groups = try APIDocument(DashboardTests.text(file)).root["groups"]?.array ?? []
        let rules = groups.flatMap { $0["rules"]?.array ?? [] }
        #expect(rules.count == count)
        #expect(Set(rules.map { $0["alert"]?.string }).count == count)
        let codes = APIDocument.shared.schema("ProblemCode")["enum"]?.array?.compactMap(\.string)
        for rule in rules {
            let name = rule["alert"]?.string ?? "(no name)"
            let expression = try #require(rule["expr"]?.string, "\(name)")
            let summary = try #require(rule["annotations"]?["summary"]?.string, "\(name)")
            let findings = DashboardTests.findings(expression, shown: summary, exported)
            #expect(findings == [], "\(name)")
            #expect(["critical", "warning"].contains(rule["labels"]?["severity"]?.string))
            let lists = DashboardTests.results(of: expression)
            #expect(Set(lists).count <= 1, "\(name): one list in every part")
            for result in lists.first ?? [] {
                #expect(codes?.contains(String(result)) == true, "\(name): \(result)")
            }
        }
    }

    /// The results of each matcher of an expression.
    private static func results(of expression: String) -> [[Substring]] {
        expression.matches(of: /result=~"([A-Za-z|]+)"/).map { $0.1.split(separator: "|") }
    }

    /// The results that `SubledgerGenuineRefused` names.
    static func genuineResults() throws -> Set<String> {
        let groups = try APIDocument(text("alerts.yaml")).root["groups"]?.array ?? []
        let rules = groups.flatMap { $0["rules"]?.array ?? [] }
        let rule = rules.first { $0["alert"]?.string == "SubledgerGenuineRefused" }
        return Set(results(of: rule?["expr"]?.string ?? "").joined().map(String.init))
    }

    /// Codes that no append of a delivery is refused with while the service runs: those of other
    /// commands, of evidence that no genuine delivery has, and of the service's own end.
    private static let notOfIntake: Set<StoreError.Code> = [
        .fileNewer, .fileInUse, .noSuchFile, .batchTooLarge, .evidenceTooLarge,
        .evidenceMalformed, .erasureOvertaken, .closed,
    ]

    @Test("The rule for refused genuine evidence names every code that the log refuses it with")
    func storeCodes() throws {
        let named = try DashboardTests.genuineResults()
        for code in StoreError.Code.allCases {
            let isExpected = !DashboardTests.notOfIntake.contains(code)
            #expect(named.contains(code.rawValue) == isExpected, "\(code)")
        }
    }

    @Test("Every panel of the dashboard shows exported series, and every metric is in a panel")
    func dashboard() async throws {
        let exported = try await DashboardTests.exported()
        let bytes = Array(try DashboardTests.text("grafana-dashboard.json").utf8)
        let document = try JSONValue.parse(bytes)
        let panels = document["panels"]?.array ?? []
        #expect(Set(panels.map { $0["id"]?.int64 }).count == panels.count && panels.count > 20)
        var shown = ""
        for panel in panels where panel["type"]?.string != "row" {
            let title = panel["title"]?.string ?? "(no title)"
            let targets = panel["targets"]?.array ?? []
            #expect(!targets.isEmpty, "\(title)")
            for target in targets {
                let expression = try #require(target["expr"]?.string, "\(title)")
                let legend = target["legendFormat"]?.string ?? ""
                let findings = DashboardTests.findings(expression, shown: legend, exported)
                #expect(findings == [], "\(title)")
                #expect(target["datasource"]?["uid"]?.string == "${datasource}", "\(title)")
                // The Sandbox's notifications would hide that Production's have stopped.
                if expression.contains("subledger_last_event_timestamp_seconds") {
                    #expect(legend == "{{app}} {{environment}}", "\(title)")
                }
                shown += expression + " "
            }
        }
        for metric in MetricMeaning.texts.keys.sorted() {
            #expect(shown.contains(metric), "\(metric) is in no panel")
        }
        for variable in document["templating"]?["list"]?.array ?? [] {
            guard let query = variable["query"]?["query"]?.string else { continue }
            let parts = try #require(query.wholeMatch(of: /label_values\((\w+), (\w+)\)/))
            let labels = exported[String(parts.1)]?.labels.union(DashboardTests.scraped)
            #expect(labels?.contains(String(parts.2)) == true, "\(query)")
        }
    }
}
