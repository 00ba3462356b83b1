/* Checks the bundle (Proof.md) in <script id="bundle">, with the functions of verify.js before it:
 * one <li> per check in <section id="proof">. It does not fold: `subledger audit check` does. */
const page = document.getElementById("proof");
/* A bundle that cannot be read fails as a whole. */
function fail() {
  page.dataset.state = "no";
  const row = page.querySelector("ul").appendChild(document.createElement("li"));
  row.textContent = "\u2717 FAILED: the bundle cannot be read";
  row.className = "no";
}
addEventListener("error", fail);
addEventListener("unhandledrejection", fail);
const escaped = document.getElementById("bundle").textContent;
const line = escaped.replace(/\\(u003c|.)/g, (all, one) => one === "u003c" ? "<" : all);
const bundle = JSON.parse(line);
const [noteText, noteSignatures] = bundle.checkpoint.split(/\n\n(?=\u2014)/);
const [origin, treeSize, treeRoot] = noteText.split("\n");

const roots = page.dataset.roots.split(" ");

const noteForm = /^[^\n]+\n(0|[1-9]\d*)\n[A-Za-z0-9+/]{43}=$/;
/* The trust of each kind; what a local certificate signed has "xcode" instead of "signed". */
const trusts = { notification: "signed", transaction: "signed", renewalPair: "signed",
  appTransaction: "signed", receipt: "signed", verifyReceipt: "transport", sweep: "transport",
  notificationV1: "secret", command: "operator", erasure: "operator" };
const isLocal = ["Xcode", "LocalTesting"].includes(bundle.environment);

/* `audit check` refuses any other spelling, too. */
function spelled() {
  // A number of 16 digits or more would be rounded.
  const short = line.replace(/([:[,]-?)\d{16,}/g, "$11");
  need(`${JSON.stringify(JSON.parse(short))}\n` === short, "another spelling");
  const has = (value, names) => need(Object.keys(value).join() === names, "other members");
  has(bundle, "format,environment,checkpoint,key,events,answer,seal");
  need(bundle.format === "subledger-proof/1", "another format");
  if (bundle.answer !== null) has(bundle.answer, "query,reducerVersion,catalogue,leeway,value");
  for (const event of bundle.events) {
    has(event, "position,leafData,inclusion,evidence,evidenceEncoding");
    need(Number.isSafeInteger(event.position), "no position");
    const isText = evidenceBytes(event)?.every((byte) => byte >= 0x20 && byte < 0x7f);
    const encoding = isText === undefined ? null : isText ? "text" : "base64";
    need(event.evidenceEncoding === encoding, "evidence in another encoding");
  }
  return "as Subledger writes it";
}
async function ownKey() {
  const [name, id, key] = bundle.key.split(/\+([0-9a-f]{8})\+/);
  const material = base64(key);
  need(name === origin && material.slice(0, 2) === "01", "another name");
  need(bundle.key === `${name}+${id}+${key}`, "another key");
  need((await sha256(new Uint8Array(
    [...encode(`${name}\n`), ...bytes(material)]))).slice(0, 8) === id, "another key");
  const imported = await crypto.subtle.importKey(
    "raw", bytes(material.slice(2)), "Ed25519", false, ["verify"]);
  return { name, id, holds: (signature, text) =>
    crypto.subtle.verify("Ed25519", imported, bytes(signature), encode(text)) };
}
async function checkpointSigned({ name, id, holds }) {
  const [, , signature] = noteSignatures.trimEnd().split(" ");
  const signed = base64(signature);
  need(noteForm.test(noteText) && signed.slice(0, 8) === id &&
    bundle.checkpoint === `${noteText}\n\n\u2014 ${name} ${signature}\n`, "not by this key");
  need(await holds(signed.slice(8), `${noteText}\n`), "a wrong signature");
  const events = treeSize === "1" ? "event" : "events";
  return `${treeSize} ${events} of ${bundle.environment}, by ${bundle.key}`;
}
async function sealed({ holds }) {
  const rest = line.replace(/,"seal":"[^"]*"\}\n$/, "}\n");
  need(rest !== line && await holds(base64(bundle.seal), `${bundle.format}\n${rest}`), "changed");
  return "nothing was changed since";
}
function evidenceBytes({ evidence, evidenceEncoding }) {
  if (evidence === null) return undefined;
  return evidenceEncoding === "text" ? encode(evidence) : bytes(base64(evidence));
}
const text = (hex) => hex && decoder.decode(bytes(hex));
async function inLog(event) {
  const data = base64(event.leafData);
  const leafHash = await sha256(bytes(`00${data}`));
  const index = event.position - 1;
  const evidence = evidenceBytes(event);
  await verifyLeaf({ data, hash: leafHash, index, evidence });
  need(await verifyInclusion({ leafHash, index, size: treeSize,
    path: event.inclusion.map(base64), root: base64(treeRoot) }), "not in the tree");
  return evidence ? "in the log, with this evidence" : "in the log, its evidence is not here";
}
/* A body that no JWS signs names what its leaf does, where it names that. */
function agree(app, chain, body) {
  const { unified_receipt: unified, receipt } = body;
  const type = receipt?.receipt_type;
  const named = body.environment || unified?.environment ||
    (type && (type.endsWith("Sandbox") ? "Sandbox" : "PROD"));
  need(!named || (named === "PROD" ? "Production" : named) === bundle.environment,
    "of another environment");
  for (const one of [body.bundleId, body.bid, receipt?.bundle_id])
    need(!one || one === app, "of another app");
  need(!body.originalTransactionId || body.originalTransactionId === chain,
    "logged under another subscription");
}
/* The objects of a payload and of its signed parts that name an environment and an app. */
function naming(token) {
  const payload = payloadOf(token);
  const { data, summary, externalPurchaseToken, appData } = payload;
  const id = data ?? summary ? undefined : externalPurchaseToken?.externalPurchaseId;
  const environment = id?.startsWith("SANDBOX") ? "Sandbox" : "Production";
  const parts = [data?.signedTransactionInfo, data?.signedRenewalInfo,
    appData?.signedAppTransactionInfo].filter((part) => part != null);
  return [payload, data, summary, externalPurchaseToken, appData, ...parts.map(payloadOf),
    id == null ? undefined : { environment }].filter((one) => one != null);
}
/* Likewise JWS. What a local certificate signed names its environment. */
function agreeSigned(parts, kind, app, chain, isOwn) {
  const all = parts.map(naming);
  const named = (name) => all.flat().map((one) => one[name]).filter((value) => value != null);
  const environments = [...named("environment"), ...named("receiptType")];
  need(environments.every((one) => one === bundle.environment) &&
    (!isOwn || environments.length), "of another environment");
  const apps = named("bundleId");
  need(apps.length && apps.every((one) => one === app), "of another app");
  const [first, ...others] = all.map((one) =>
    one.map(({ originalTransactionId }) => originalTransactionId).find(Boolean) ?? "");
  // The renewal info of a pair need not name its chain.
  need(kind === "appTransaction" || (first === chain &&
    others.every((one) => !one || one === chain)), "logged under another subscription");
}
async function signature(event) {
  const fields = leafFields(base64(event.leafData));
  const [kind, trust, app, chain] = [2, 6, 9, 10].map((index) => text(fields[index]));
  if (event.evidence === null) return `${kind}: not here`;
  const isSigned = trusts[kind] === "signed";
  need(trust === trusts[kind] || (isSigned && isLocal && trust === "xcode"), `trust ${trust}`);
  if (["command", "notificationV1", "verifyReceipt"].includes(kind))
    agree(app, chain, JSON.parse(decoder.decode(evidenceBytes(event))));
  if (!isSigned || kind === "receipt") return `${kind}: no JWS by Apple (${trust})`;
  const parts = tokens(event.evidence);
  need((parts.length === 2) === (kind === "renewalPair"), "of another kind");
  // Earlier releases logged it as signed.
  const isOwn = isLocal &&
    parts.every((one) => json(base64url(one.split(".")[0])).x5c.length === 1);
  need(isOwn || trust === "signed", `trust ${trust}`);
  agreeSigned(parts, kind, app, chain, isOwn);
  if (isOwn) return `${kind}: no JWS by Apple (xcode)`;
  const date = latest(parts, Number(BigInt(`0x${fields[1]}`)));
  let certificates;
  for (const token of parts) {
    const { checks } = await verifyJWS(token, roots, date);
    checks.forEach(({ ok, name, text }) => need(ok, `${name}: ${text}`));
    certificates = checks.find(({ name }) => name === "certificates").text;
  }
  return `${certificates}, valid at its date`;
}
async function proofs() {
  page.dataset.state = crypto.subtle ? "running" : "unavailable";
  if (!crypto.subtle) return page.append("This browser cannot verify here.");
  const key = await ownKey().catch((error) => error);
  if (key.name === "NotSupportedError") {
    page.dataset.state = "unavailable";
    return page.append("This browser does not know Ed25519: use subledger audit check.");
  }
  const withKey = (body) => () => { if (key instanceof Error) throw key; return body(key); };
  const checks = [await check("checkpoint signed", withKey(checkpointSigned)),
    await check("sealed by that key", withKey(sealed))];
  const places = bundle.events.map(({ position }) => position);
  checks.push(await check("in one spelling", spelled));
  checks.push(await check("events in order", () => {
    need(places.length && places.every((one, index) => !index || places[index - 1] < one));
    return `${places.length}`;
  }));
  checks.push(await check("each event once", () => {
    const keys = bundle.events.map(({ leafData }) => leafFields(base64(leafData))[3]);
    const evidence = bundle.events.map((event) => event.evidence).filter((one) => one !== null);
    for (const all of [keys, evidence]) need(new Set(all).size === all.length, "one twice");
    return "by key and evidence";
  }));
  for (const event of bundle.events) {
    checks.push(await check(`#${event.position}`, () => inLog(event)));
    checks.push(await check(`#${event.position} signature`, () => signature(event)));
  }
  for (const { ok, name, text } of checks) {
    const row = page.querySelector("ul").appendChild(document.createElement("li"));
    row.textContent = `${ok ? "✓ ok" : "✗ FAILED"} ${name}: ${text}`;
    row.className = ok ? "yes" : "no";
  }
  page.dataset.state = checks.every(({ ok }) => ok) ? "yes" : "no";
}
document.getElementById("answer").textContent = JSON.stringify(bundle.answer, null, 2);
proofs();
