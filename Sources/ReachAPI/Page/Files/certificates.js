// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// A server's certificate chain and its evaluation.

import { h } from "./dom.js";
import { facts } from "./evidence.js";
import { day, plain, span } from "./words.js";

const DAY = 86_400;

/// - Parameter tls: The member `tls` of a result; in lists it has only the server's own certificate.
export function certificates(tls) {
  const chain = tls.chain ?? (tls.certificate ? [tls.certificate] : []);
  const trust = tls.trust ?? {};
  const built = (tls.built_chain ?? []).filter((made) => made.issuer && !chain.some((sent) => sent.fingerprint_sha256 === made.fingerprint_sha256));
  return [
    h("p", { class: "because" }, verdict(tls, trust)),
    facts([
      ["Protocol", [tls.version, tls.cipher, tls.alpn].filter(Boolean).join(", ")],
      ["Tolerated", (trust.tolerated ?? []).map((fault) => fault.detail).join(" ")],
      ["Warnings", (trust.warnings ?? []).map((warning) => warning.replaceAll("_", " ")).join(", ")],
      ["OCSP staple", tls.staple && plain(tls.staple.status)],
    ]),
    h("ol", { class: "chain" },
      chain.map((certificate, index) =>
        link(certificate, index === 0 ? "server" : "sent by the server", standing(tls, index === 0))),
      built.map((certificate) => link(certificate, "from the trust store", standing(tls, false)))),
  ];
}

function verdict(tls, trust) {
  if (tls.is_trusted) return "The certificate is trusted.";
  const faults = (trust.faults ?? []).map((fault) => fault.detail).join(" ");
  return `The certificate is not trusted${trust.is_accepted ? ", but the policy accepts it" : ""}. ${faults}`;
}

/// The class of a certificate's mark. Only a trusted chain is good. The verdict is about the server's own certificate; the others
/// of an untrusted chain are unproven.
function standing(tls, isServers) {
  if (tls.is_trusted) return "";
  if (!isServers) return "unproven";
  return tls.trust?.is_accepted ? "tolerated" : "rejected";
}

const expiry = (date, left) => (left < 0 ? `expired on ${date}` : `expires on ${date}, in ${span(left)}`);

function link(certificate, role, standing) {
  const left = certificate.not_after ? (Date.parse(certificate.not_after) - Date.now()) / 1000 : null;
  const urgency = left === null ? "" : left < 0 ? "over" : left < 14 * DAY ? "soon" : "";
  const names = certificate.names ?? [];
  return h("li", { class: `${standing} ${urgency}`.trim() },
    h("b", {}, certificate.subject || "no subject"), h("span", { class: "role" }, role),
    certificate.issuer && certificate.issuer !== certificate.subject && h("span", {}, `issued by ${certificate.issuer}`),
    left !== null && h("span", { class: "until" }, expiry(day(certificate.not_after), left)),
    names.length > 0 && h("span", { class: "names" }, names.slice(0, 8).join(", ") + (names.length > 8 ? ` and ${names.length - 8} more` : "")),
    certificate.key && h("span", {}, [certificate.key, certificate.signature_algorithm].filter(Boolean).join(", ")),
    h("code", { class: "print", title: "SHA-256 of the certificate" }, certificate.fingerprint_sha256));
}
