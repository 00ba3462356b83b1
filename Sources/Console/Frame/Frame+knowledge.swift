internal import AppStore
internal import Ledger

extension Frame {
    /// How far back the slider reaches: 400 days.
    private static let reachMilliseconds: Int64 = 400 * 86_400_000

    /// The field and slider that select "as known at" of a page. Acts are not offered in the past.
    var knowledgeForm: HTML {
        let known = state.knowledge.knownAt
        let value =
            if case .knownPosition(let position) = state.knowledge { "#\(position)" } else {
                known?.rfc3339 ?? ""
            }
        let slider = (known ?? now).milliseconds
        let least = now.milliseconds - Frame.reachMilliseconds
        return """
            <form class="filter" method="get" action="\(ViewState.address(self))">
            \(Page.hidden(state, but: ["knownAt", "knownPosition"]))\(Page.hidden(kept))\
            <label for="knownAt">As known at</label>
            <input id="knownAt" name="knownAt" value="\(value)" placeholder="now, a day, a time or #position" \
            maxlength="40" data-key="t" spellcheck="false">
            <input type="range" hidden aria-label="As known at, by sliding" data-slider="knownAt" min="\(least)" \
            max="\(now.milliseconds)" value="\(max(slider, least))" step="60000">
            <button>Show</button>
            </form>
            """
    }
}

extension ViewState {
    /// The address of a frame's page without any parameter, for a form that sends them.
    static func address(_ frame: Frame) -> String {
        ViewState(environment: frame.state.environment).url(frame.path)
    }
}
