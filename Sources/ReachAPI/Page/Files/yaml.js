// SPDX-License-Identifier: Apache-2.0
// Copyright (c) 2026 the reachd authors
//
// Reads openapi.yaml. That file is the only input, so this reads what it uses of YAML: no anchors, tags or several documents, and a
// plain or quoted value is on one line.

const KEY = /^(?:"([^"]*)"|([^\s"'[{][^:]*(?::[^\s:]+)*)):(?: +(.*))?$/;

export function parse(text) {
  const lines = text.split("\n");
  let at = 0;

  const depthOf = (line) => line.search(/\S/);
  const isNext = (depth) => {
    while (at < lines.length && /^\s*(#.*)?$/.test(lines[at])) at += 1;
    return at < lines.length && depthOf(lines[at]) >= depth;
  };

  /// A value on lines of its own.
  function node(least) {
    if (!isNext(least)) return null;
    const depth = depthOf(lines[at]);
    const line = lines[at].slice(depth);
    if (line.startsWith("- ")) return items(depth);
    return KEY.test(line) ? members(depth) : inline(line, depth);
  }

  function items(depth) {
    const found = [];
    while (isNext(depth) && depthOf(lines[at]) === depth && lines[at].startsWith("- ", depth)) {
      const line = lines[at].slice(depth + 2);
      lines[at] = " ".repeat(depth + 2) + line;
      found.push(KEY.test(line) ? members(depth + 2) : inline(line, depth));
    }
    return found;
  }

  function members(depth) {
    const found = {};
    while (isNext(depth) && depthOf(lines[at]) === depth) {
      const [, quoted, plain, rest] = lines[at].slice(depth).match(KEY);
      found[quoted ?? plain] = inline(rest ?? "", depth);
    }
    return found;
  }

  /// The rest of the current line, and what belongs to it of the lines below.
  function inline(rest, depth) {
    at += 1;
    if (rest === "" || rest.startsWith("#")) return node(isNext(depth) && lines[at].startsWith("- ", depth) ? depth : depth + 1);
    if (/^[|>]-?$/.test(rest)) return folded(rest[0] === ">", depth);
    if (!/^[[{]/.test(rest)) return scalar(rest);
    while (count(rest, /[[{]/g) > count(rest, /[\]}]/g) && at < lines.length) rest += ` ${lines[at++].trim()}`;
    return flow(rest);
  }

  function folded(isFolded, depth) {
    const found = [];
    while (at < lines.length && (depthOf(lines[at]) > depth || lines[at].trim() === "")) found.push(lines[at++]);
    const edge = Math.min(...found.filter((line) => line.trim() !== "").map(depthOf));
    const text = found.map((line) => line.slice(edge)).join("\n").trimEnd();
    return isFolded ? text.replace(/(\S)\n(?=\S)/g, "$1 ") : `${text}\n`;
  }

  return node(0);
}

const count = (text, pattern) => (text.replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, "").match(pattern) ?? []).length;

function scalar(text) {
  const quoted = text.match(/^"(?:[^"\\]|\\.)*"/);
  if (quoted) return JSON.parse(quoted[0]);
  const plain = text.replace(/ +#.*$/, "").trim();
  if (/^'.*'$/.test(plain)) return plain.slice(1, -1).replaceAll("''", "'");
  if (/^(true|false|null)$/.test(plain) || /^-?\d+(\.\d+)?$/.test(plain)) return JSON.parse(plain);
  return plain === "~" ? null : plain;
}

/// A list or an object in brackets.
function flow(text) {
  let at = 0;
  const take = (pattern) => {
    pattern.lastIndex = at;
    const [found] = pattern.exec(text);
    at += found.length;
    return found.trim();
  };
  const word = () => scalar(take(/ *(?:"(?:[^"\\]|\\.)*"|'[^']*'|(?:[^,[\]{}:]|:(?! |$))+) */y));
  const value = () => {
    const open = take(/ *[[{]?/y);
    if (open === "") return word();
    const found = open === "[" ? [] : {};
    while (take(/[ ,]*[\]}]?/y).search(/[\]}]/) < 0) {
      if (open === "[") {
        found.push(value());
      } else {
        const key = word();
        take(/: */y);
        found[key] = value();
      }
    }
    return found;
  };
  return value();
}
