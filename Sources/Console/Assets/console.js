/* Keys and live behaviour of the console; every page works without it. It looks for
 * data-key="x" or "g c": followed, pressed or focused by this key, or two in a row
 * form.find input[name=q]: focused by / and, even with keys off, by Ctrl+K or Command+K
 * data-row: j and k move to its first link, which Enter opens
 * #keys: checkbox, keys on or off; localStorage["subledger.keys"]
 * <html data-tz="local">: <time datetime> is rewritten, its title has UTC
 * button[data-copy=ID]: copies the text of that element
 * tbody[data-live=URL]: events named `row`, each one <tr> of trusted HTML, are prepended; when
 *   opened again, the URL has after=ID of the last
 * data-live-pause: button, stops and resumes
 * id and data-refresh=S: fetched again from the page's address every S seconds
 * data-live-state: says live, paused or reconnecting
 * form[data-once]: is sent once
 * input[type=range][data-slider=ID]: writes its value, ms since 1970, into that text field as
 *   RFC 3339; [ and ] step by a day and send the form
 * data-copy, data-live-pause and data-slider come `hidden`. */
const [maximumRowCount, retryMilliseconds, dayMilliseconds] = [100, 5000, 86400000];
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const fields = "input:not([type=checkbox],[type=radio],[type=range]),textarea,select";

// Keys
const keysOff = () => localStorage.getItem("subledger.keys") === "off";
let earlierKey = "";
function press(key) {
  const keyed = (name) => document.querySelector(`[data-key="${CSS.escape(name)}"]`);
  const target = (earlierKey && keyed(`${earlierKey} ${key}`)) || keyed(key);
  earlierKey = document.querySelector(`[data-key^="${CSS.escape(key)} "]`) && !target ? key : "";
  if (target) target.matches(fields) ? target.focus() : target.click();
  return Boolean(target);
}
function find() {
  const box = document.querySelector("form.find input[name=q]");
  box?.focus();
  box?.select();
  return Boolean(box);
}
function move(step) {
  const rows = all("[data-row]").filter((row) => row.offsetParent);
  const old = rows.findIndex((row) => row.ariaCurrent || row.contains(document.activeElement));
  const row = rows[Math.max(0, Math.min(rows.length - 1, old + step))];
  if (!row) return false;
  rows[old]?.removeAttribute("aria-current");
  row.setAttribute("aria-current", "true");
  row.querySelector("a[href]")?.focus();
  return true;
}
function stepDay(direction) {
  const slider = document.querySelector("[data-slider]");
  if (!slider) return false;
  slider.value = Number(slider.value) + direction * dayMilliseconds;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  slider.form?.requestSubmit();
  return true;
}
addEventListener("keydown", (event) => {
  const { key } = event;
  const isCommand = event.ctrlKey || event.metaKey;
  let isDone = false;
  if (isCommand && key === "k") {
    isDone = find();
  } else if (isCommand || event.altKey || keysOff()) {
    return;
  } else if (event.target.closest?.(fields)) {
    if (key === "Escape") event.target.blur();
  } else if (!earlierKey && key in actions) {
    isDone = actions[key]();
  } else if (key.length === 1) {
    isDone = press(key);
  }
  if (isDone) event.preventDefault();
});
const actions = {
  "/": find, j: () => move(1), k: () => move(-1), "[": () => stepDay(-1), "]": () => stepDay(1),
};

// Elements, also those that arrive later
function prepare(root) {
  if (document.documentElement.dataset.tz === "local") all("time[datetime]", root).forEach(local);
  all("[data-live-pause],[data-slider]", root).forEach((one) => { one.hidden = false; });
  // Missing on plain http off loopback.
  if (navigator.clipboard) all("[data-copy]", root).forEach((one) => { one.hidden = false; });
}
const format = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "medium" });
function local(element) {
  const date = new Date(element.dateTime);
  if (!element.dateTime.includes("T") || isNaN(date)) return;
  element.title ||= element.dateTime;
  element.textContent = format.format(date);
}
async function copy(button) {
  const label = button.textContent;
  await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
  button.textContent = "copied";
  setTimeout(() => { button.textContent = label; }, 2000);
}
addEventListener("click", ({ target }) => {
  const [copied, pause] = [target.closest("[data-copy]"), target.closest("[data-live-pause]")];
  if (copied && copied.textContent !== "copied") copy(copied);
  if (!pause) return;
  isPaused = !isPaused;
  pause.setAttribute("aria-pressed", isPaused);
  isPaused ? stop() : start();
});
addEventListener("input", ({ target }) => slide(target));
function slide(slider) {
  const field = document.getElementById(slider.dataset?.slider);
  if (!field) return;
  field.value = new Date(Number(slider.value)).toISOString().replace(/\.\d+Z$/, "Z");
  slider.setAttribute("aria-valuetext", field.value);
}
addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("[data-once]")) return;
  if (form.dataset.sent) event.preventDefault();
  form.dataset.sent = "1";
  // Later: a disabled button is not sent.
  setTimeout(() => all("button", form).forEach((button) => { button.disabled = true; }));
});

// Live
let [isPaused, sources, timers] = [false, [], []];
const say = (text) => all("[data-live-state]").forEach((one) => { one.textContent = text; });
function open(body) {
  const url = new URL(body.dataset.live, location.href);
  if (body.dataset.last) url.searchParams.set("after", body.dataset.last);
  const source = new EventSource(url);
  sources.push(source);
  source.onopen = () => say("live");
  source.onerror = () => {
    say("reconnecting");
    // After a 503; the browser itself retries only lost connections.
    if (source.readyState === EventSource.CLOSED && sources.includes(source)) {
      sources.splice(sources.indexOf(source), 1);
      timers.push(setTimeout(() => open(body), retryMilliseconds));
    }
  };
  source.addEventListener("row", ({ data, lastEventId }) => {
    const template = document.createElement("template");
    template.innerHTML = data;
    prepare(template.content);
    body.prepend(template.content);
    body.rows[maximumRowCount]?.remove();
    if (lastEventId) body.dataset.last = lastEventId;
  });
}
async function refresh(id) {
  const old = document.getElementById(id);
  if (!old || old.querySelector(":focus")?.matches(fields)) return;
  try {
    const answer = await fetch(location.href, { cache: "no-store", redirect: "error" });
    if (!answer.ok) throw new Error(answer.status);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById(id);
    if (!fresh || isPaused) return;
    const index = all("a,button,summary", old).indexOf(document.activeElement);
    prepare(fresh);
    old.replaceWith(fresh);
    all("a,button,summary", fresh)[index]?.focus();
    say("live");
  } catch { say("reconnecting"); }
}
function start() {
  if (isPaused || document.hidden || sources.length + timers.length > 0) return;
  all("[data-live]").forEach(open);
  all("[data-refresh][id]").forEach(({ id, dataset }) =>
    timers.push(setInterval(refresh, Number(dataset.refresh) * 1000, id)));
}
function stop() {
  sources.forEach((source) => source.close());
  timers.forEach(clearTimeout);
  [sources, timers] = [[], []];
  say("paused");
}
addEventListener("visibilitychange", () => (document.hidden ? stop() : start()));
addEventListener("pagehide", stop);
addEventListener("pageshow", () => {
  all("form[data-once]").forEach((form) => {
    delete form.dataset.sent;
    all("button", form).forEach((button) => { button.disabled = false; });
  });
  start();
});

prepare(document);
all("[data-slider]").forEach((slider) => {
  const date = Date.parse(document.getElementById(slider.dataset.slider)?.value);
  if (date) slider.value = date;
});
const checkbox = document.getElementById("keys");
if (checkbox) {
  checkbox.checked = !keysOff();
  checkbox.addEventListener("change", () =>
    localStorage.setItem("subledger.keys", checkbox.checked ? "on" : "off"));
}
