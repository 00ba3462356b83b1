import AppStore
import ArgumentParser
import Foundation
import Intake
import Reports
import Service

struct MetricsExplainCommand: OutputCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Compare reports of App Store Connect with the ledger; explain differences.",
        discussion: """
            Reads subscription, subscription event and subscriber reports: tab-separated text, \
            also gzip. A later report replaces the days of an earlier one of its kind. Exits with \
            1 where a row cannot be read, a difference is unexplained or on a day whose evidence \
            may be incomplete, no row is of an app asked about, or the ledger has no chain.
            """)

    @Option(
        name: .customLong("report"),
        help: ArgumentHelp("A report; repeatable.", valueName: "FILE"),
        completion: .file())
    var files: [String]

    @Option(
        name: .customLong("product"),
        help: ArgumentHelp(
            "Maps an Apple ID or a reference name to a product id, where the reference name is not"
                + " the product id; repeatable.", valueName: "name=productId"))
    var products: [String] = []

    @Option(
        help: ArgumentHelp(
            "The day of subscription reports (default: the date that ends the file's name).",
            valueName: "YYYY-MM-DD"))
    var day: String?

    @Option(help: "An IANA time zone of our days (default: the configured report zone).")
    var timeZone: String?

    @OptionGroup var knowledge: AsOfOptions
    @OptionGroup var common: SharedOptions

    func output(_ settings: Settings) async throws -> Output {
        let limit = try knowledge.limit()
        let given = try day.map { try ReportFile.day($0) }
        var table = SalesReportTable(products: try names())
        let apps = settings.reportedApps
        let reports = try files.map {
            try ReportFile(reading: $0, day: given, of: apps, into: &table)
        }
        for name in table.unmatchedNames.sorted() {
            Terminal.note("warning: --product: no row has the Apple ID or reference name \(name).")
        }
        let answer = try await settings.withMetrics(by: limit) { [table] query in
            try await query.explain(table, timeZone: timeZone)
        }
        let isWithoutRows = reports.allSatisfy { $0.reader.rowCount == $0.reader.otherAppCount }
        let warnings =
            isWithoutRows
            ? ["no row is of an app asked about: check the files, and appAppleId"] : []
        let lines = reports.flatMap(\.lines) + warnings + answer.lines
        return Output(
            text: lines.map { $0 + "\n" }.joined(),
            isClean: answer.isExplained && !isWithoutRows
                && reports.allSatisfy { $0.reader.malformedCount == 0 }
        ) { json in
            answer.write(to: &json)
            json.objects("reports", reports) { $1.writeMembers(to: &$0) }
        }
    }

    private func names() throws(CommandFailure) -> [String: ProductId] {
        var names: [String: ProductId] = [:]
        for text in products {
            // Reference names may contain an equals sign, product ids may not.
            guard let place = text.lastIndex(of: "="), place > text.startIndex,
                place < text.index(before: text.endIndex)
            else { throw CommandFailure.invalidOption("--product takes name=productId.") }
            let name = String(text[..<place])
            let product = ProductId(String(text[text.index(after: place)...]))
            guard names[name] == nil || names[name] == product else {
                throw CommandFailure.invalidOption("--product has two product ids for \(name).")
            }
            names[name] = product
        }
        return names
    }
}

extension Settings {
    /// The App Apple IDs of the apps asked about; nil where one of them has none.
    fileprivate var reportedApps: Set<Int64>? {
        let numbers = configuration.apps.compactMap(\.appAppleId).filter { $0 > 0 }
        return numbers.isEmpty || numbers.count < configuration.apps.count ? nil : Set(numbers)
    }
}

/// A report's file, read into a table.
struct ReportFile {
    let path: String
    let reader: SalesReportReader

    /// Bytes read at once.
    private static let pieceByteCount = 262_144

    /// - Parameters:
    ///   - day: of a subscription report; nil: by the file's name.
    ///   - apps: whose rows are compared; nil: all.
    init(
        reading path: String, day: CivilDate?, of apps: Set<Int64>?,
        into table: inout SalesReportTable
    ) throws {
        let file: FileHandle
        do { file = try FileHandle(forReadingFrom: URL(filePath: path)) } catch {
            throw ReportFile.unreadable(path)
        }
        defer { try? file.close() }
        var found = SalesReportReader(day: day ?? ReportFile.day(inName: path), apps: apps)
        do {
            let source: () throws -> [UInt8]? = { try ReportFile.piece(of: file) }
            try found.readWhole(source) { table.add($0) }
        } catch let error as SalesReportError {
            throw CommandFailure(error.code, "--report: \(path): \(error.message)", .usage)
        } catch { throw ReportFile.unreadable(path) }
        table.endReport()
        (self.path, reader) = (path, found)
    }

    /// Nil at the end.
    private static func piece(of file: FileHandle) throws -> [UInt8]? {
        guard let data = try file.read(upToCount: pieceByteCount), !data.isEmpty else { return nil }
        return Array(data)
    }

    private static func unreadable(_ path: String) -> CommandFailure {
        CommandFailure("unreadableFile", "--report: \(path) cannot be read; check the path.", .io)
    }

    static func day(_ text: String) throws(CommandFailure) -> CivilDate {
        guard text.utf8.count == 10, let time = Timestamp(userInput: text),
            time.rfc3339.hasPrefix(text)
        else { throw CommandFailure.invalidOption("--day takes YYYY-MM-DD.") }
        return time.date
    }

    /// The date that ends a file's name, as in `Subscription_85473_20260131.txt.gz`.
    static func day(inName path: String) -> CivilDate? {
        let name = path.split(separator: "/").last?.split(separator: ".").first ?? ""
        guard let text = name.split(separator: "_").last, text.utf8.count == 8 else { return nil }
        let date = "\(text.prefix(4))-\(text.dropFirst(4).prefix(2))-\(text.suffix(2))"
        return try? day(date)
    }

    func writeMembers(to json: inout JSONWriter) {
        json.member("file", path)
        json.member("report", reader.kind?.rawValue)
        json.member("rows", Int64(reader.rowCount))
        json.member("malformedRows", Int64(reader.malformedCount))
        json.objects("malformed", reader.malformed) { json, row in
            json.member("line", Int64(row.line))
            json.member("code", row.code.rawValue)
        }
        json.member("otherAppRows", Int64(reader.otherAppCount))
        json.objects("notCompared", reader.otherEvents) { json, event in
            json.member("event", event.name)
            json.member("quantity", event.quantity)
        }
    }
}
