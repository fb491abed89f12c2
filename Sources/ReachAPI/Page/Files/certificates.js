// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// The certificates that a server showed, from its own to the one that signs itself, and what is thought of them.

import { h } from "./dom.js";
import { facts } from "./evidence.js";
import { day, span } from "./words.js";

const DAY = 86_400;

/// - Parameter tls: of a result; the brief form of lists has the server's own certificate only.
export function certificates(tls) {
  const chain = tls.chain ?? (tls.certificate ? [tls.certificate] : []);
  const trust = tls.trust ?? {};
  const built = (tls.built_chain ?? []).filter((made) => made.issuer && !chain.some((sent) => sent.fingerprint_sha256 === made.fingerprint_sha256));
  return [
    h("p", { class: "because" }, tls.is_trusted ? "The certificate is trusted." : `The certificate is not trusted${trust.is_accepted ? ", and accepted all the same" : ""}. ${(trust.faults ?? []).map((fault) => fault.detail).join(" ")}`),
    facts([
      ["Protocol", [tls.version, tls.cipher, tls.alpn].filter(Boolean).join(", ")],
      ["Tolerated", (trust.tolerated ?? []).map((fault) => fault.detail).join(" ")],
      ["Warnings", (trust.warnings ?? []).map((warning) => warning.replaceAll("_", " ")).join(", ")],
      ["Stapled", tls.staple && tls.staple.status],
    ]),
    h("ol", { class: "chain" }, chain.map((certificate, index) => link(certificate, index === 0 ? "server" : "sent", standing(tls, index === 0))),
      built.map((certificate) => link(certificate, "found here", standing(tls, false)))),
  ];
}

/// What the mark of a certificate says: only a chain with which nothing is wrong is good. The verdict is about the server's own
/// certificate; of the others it says no more than that nothing vouches for them.
function standing(tls, isServers) {
  if (tls.is_trusted) return "";
  if (!isServers) return "unproven";
  return tls.trust?.is_accepted ? "tolerated" : "rejected";
}

function link(certificate, role, standing) {
  const left = certificate.not_after ? (Date.parse(certificate.not_after) - Date.now()) / 1000 : null;
  const urgency = left === null ? "" : left < 0 ? "over" : left < 14 * DAY ? "soon" : "";
  const names = certificate.names ?? [];
  return h("li", { class: `${standing} ${urgency}`.trim() },
    h("b", {}, certificate.subject || "no subject"), h("span", { class: "role" }, role),
    certificate.issuer && certificate.issuer !== certificate.subject && h("span", {}, `issued by ${certificate.issuer}`),
    left !== null && h("span", { class: "until" }, left < 0 ? `ran out on ${day(certificate.not_after)}` : `until ${day(certificate.not_after)}, ${span(left)}`),
    names.length > 0 && h("span", { class: "names" }, names.slice(0, 8).join(", ") + (names.length > 8 ? ` and ${names.length - 8} more` : "")),
    certificate.key && h("span", {}, [certificate.key, certificate.signature_algorithm].filter(Boolean).join(", ")),
    h("code", { class: "print", title: "SHA-256 of the certificate" }, certificate.fingerprint_sha256));
}
