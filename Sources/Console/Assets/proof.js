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

async function ownKey() {
  const [name, id, key] = bundle.key.split(/\+([0-9a-f]{8})\+/);
  const material = base64(key);
  need(name === origin && material.slice(0, 2) === "01", "another name");
  need((await sha256(new Uint8Array(
    [...encode(`${name}\n`), ...bytes(material)]))).slice(0, 8) === id, "another key");
  const imported = await crypto.subtle.importKey(
    "raw", bytes(material.slice(2)), "Ed25519", false, ["verify"]);
  return { name, id, holds: (signature, text) =>
    crypto.subtle.verify("Ed25519", imported, bytes(signature), encode(text)) };
}
async function checkpointSigned({ name, id, holds }) {
  const [dash, signer, signature] = noteSignatures.trimEnd().split(" ");
  const signed = base64(signature);
  need(dash === "\u2014" && signer === name && signed.slice(0, 8) === id, "not by this key");
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
async function signature(event) {
  const fields = leafFields(base64(event.leafData));
  const [kind, trust, chain] = [fields[2], fields[6], fields[10]].map(text);
  if (event.evidence === null) return `${kind}: not here`;
  if (trust !== "signed" || kind === "receipt") return `${kind}: no JWS by Apple (${trust})`;
  const parts = tokens(event.evidence);
  const date = latest(parts, Number(BigInt(`0x${fields[1]}`)));
  let certificates;
  for (const token of parts) {
    const { checks } = await verifyJWS(token, roots, date);
    checks.forEach(({ ok, name, text }) => need(ok, `${name}: ${text}`));
    certificates = checks.find(({ name }) => name === "certificates").text;
    const { data } = payloadOf(token);
    const named = [token, data?.signedTransactionInfo, data?.signedRenewalInfo].map(
      (one) => one && payloadOf(one).originalTransactionId).find(Boolean) ?? "";
    // The renewal info of a pair need not name its chain.
    need(kind === "appTransaction" || named === chain || (token !== parts[0] && !named),
      "logged under another subscription");
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
  checks.push(await check("events in order", () => {
    need(places.length && places.every((one, index) => !index || places[index - 1] < one));
    return `${places.length}`;
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
