#!/usr/bin/env node
// SPDX-License-Identifier: BSD-3-Clause
"use strict";
/* Runs the script of a page of `anyp report` on a small document, and prints what it has made as
   XML. The document has only what the page needs, so a script that uses more fails. */
const fs = require("fs"), vm = require("vm");
if (process.argv.length < 3 || process.argv[2] === "--help") {
  console.log("Usage: render_page.js PAGE [ID]\n\nPrints what the script of PAGE, written by " +
    "anyp report, draws, as XHTML;\nof the picture with this ID only the picture, as SVG.");
  process.exit(process.argv.length < 3 ? 2 : 0);
}

const escape = text =>
  text.replace(/[<>&"]/g, c => ({ "<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;" })[c]);
class Text {
  constructor(text) { this.text = String(text); this.nodeType = 3; }
  write() { return escape(this.text); }
}
class Element {
  constructor(tag, space) { Object.assign(this, { tag, space, nodeType: 1, names: {}, inside: [] }); }
  setAttribute(name, value) { this.names[name] = String(value); }
  append(...inside) { this.inside.push(...inside.map(one => one.nodeType ? one : new Text(one))); }
  find(id) {
    return this.names.id === id ? this
      : this.inside.reduce((found, one) => found || (one.find ? one.find(id) : null), null);
  }
  write(newline) {
    const names = Object.entries(this.names).map(([n, v]) => ` ${n}="${escape(v)}"`).join("");
    const space = this.space ? ` xmlns="${this.space}"` : "", last = this.inside.length - 1;
    return `<${this.tag}${this.tag === "svg" || this.tag === "html" ? space : ""}${names}` +
      (last < 0 ? "/>" : `>${newline || ""}` + this.inside.map(one => one.write() + (newline || ""))
        .join("") + `</${this.tag}>`);
  }
}
Object.freeze(Element.prototype);

const page = fs.readFileSync(process.argv[2], "utf8");
const script = page.match(/<script>([^]*?)<\/script>/)[1];
const data = page.match(/<script type="application\/json" id="data">([^]*?)<\/script>/)[1];
const body = new Element("body"), document = {
  body, title: "", createElement: tag => new Element(tag),
  createElementNS: (space, tag) => new Element(tag, space),
  getElementById: id => id === "data" ? { textContent: data } : null,
  addEventListener: (event, run) => { document.run = run; },
};
vm.runInNewContext(script, { document });
document.run();
if (process.argv[3]) {
  const picture = body.find(process.argv[3]);
  if (!picture) {
    console.error(`render_page.js: ${process.argv[2]} draws no ${process.argv[3]}`);
    process.exit(1);
  }
  console.log(picture.write("\n"));
} else {
  const html = new Element("html", "http://www.w3.org/1999/xhtml"), head = new Element("head");
  const title = new Element("title");
  title.append(document.title);
  head.append(title);
  html.append(head, body);
  console.log(html.write());
}
