// Draws one answer: the strand in the colours of its parts, and the three parts. Fed with chunks, asks for nothing.

import { drawBraid } from "./braid.js";

const PART_OF = { reasoning: "reasoning", content: "content", tool_name: "calls", argument: "calls" };
const NAME_OF = { reasoning: "reasoning", content: "content", tool_name: "tool name", argument: "argument", dropped: "dropped" };

const element = (tag, className, text) => {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
};

// Scrolling boxes that stay at their end while they fill, unless the reader has scrolled up.
const left = new WeakSet();
const toEnd = (box) => left.has(box) || (box.scrollTop = box.scrollHeight);
const resized = new ResizeObserver((entries) => entries.forEach(({ target }) => toEnd(target)));

function follow(box) {
  let before = 0;
  box.addEventListener("scroll", () => {
    const near = box.scrollHeight - box.scrollTop - box.clientHeight < 40;
    if (near) left.delete(box);
    else if (box.scrollTop < before) left.add(box);
    before = box.scrollTop;
  });
  resized.observe(box);
}

// The raw text. Offsets count characters (code points), as the server's do, not JavaScript's units.
class Strand {
  constructor(box) {
    this.box = box;
    this.box.replaceChildren();
    this.characters = [];
    this.spans = [];
    this.held = element("span", "k-held");
    this.held.title = "held back: it may still become a marker";
    this.box.append(this.held);
  }

  add(raw, spans) {
    for (const character of raw ?? "") this.characters.push(character);
    for (const span of spans ?? []) this.#span(span);
    const said = this.spans.at(-1)?.end ?? 0;
    this.held.textContent = this.characters.slice(said).join("");
    toEnd(this.box);
  }

  #span([kind, start, end, label, call]) {
    let last = this.spans.at(-1);
    while (last && (last.start > start || (last.start === start && (last.kind !== kind || last.end > end)))) {
      last.node.remove();
      this.spans.pop();
      last = this.spans.at(-1);
    }
    if (last?.start === start) {
      this.#write(last, end);
    } else if (!last || last.end <= start) {
      const node = element("span", `k-${kind}`);
      node.dataset.part = PART_OF[kind] ?? "";
      const span = { kind, start, end: start, node };
      this.held.before(node);
      this.spans.push(span);
      this.#write(span, end);
      last = span;
    }
    if (last) last.node.title = kind === "markup" ? label || "markup" : NAME_OF[kind] + (call === null ? "" : ` of call ${call + 1}`);
  }

  #write(span, end) {
    const text = this.characters.slice(span.end, end).join("");
    span.end = end;
    if (span.kind !== "markup" && span.kind !== "dropped") return span.node.append(text);
    for (const part of text.split(/(\n)/)) span.node.append(part === "\n" ? element("span", "nl", "\n") : part);
  }
}

export class View {
  constructor(find) {
    this.find = find;
    this.loom = find("loom");
    this.loom.addEventListener("pointerover", (event) => {
      this.loom.dataset.hover = event.target.closest?.("[data-part]")?.dataset.part ?? "";
    });
    this.loom.addEventListener("pointerleave", () => (this.loom.dataset.hover = ""));
    for (const name of ["strand", "reasoning", "content", "calls"]) follow(find(name));
    drawBraid(find("braid"), [...this.loom.querySelectorAll(".part")]);
    this.clear();
  }

  clear() {
    this.strand = new Strand(this.find("strand"));
    this.calls = new Map();
    this.counts = { strand: 0, reasoning: 0, content: 0, calls: 0 };
    for (const part of ["reasoning", "content", "calls"]) this.find(part).replaceChildren();
    for (const name of Object.keys(this.counts)) left.delete(this.find(name));
    for (const name of Object.keys(this.counts)) this.find(`count-${name}`).textContent = "";
    this.activate("");
  }

  start() {
    this.clear();
    this.find("strand").parentElement.classList.add("live");
  }

  add(chunk) {
    const delta = chunk.choices[0]?.delta ?? {};
    if (delta.reasoning_content) this.#words("reasoning", delta.reasoning_content);
    if (delta.content) this.#words("content", delta.content);
    for (const call of delta.tool_calls ?? []) this.#call(call);
    const told = chunk.unbraid;
    if (!told) return;
    this.strand.add(told.raw, told.spans);
    if (told.raw) this.#count("strand", 1, "piece");
  }

  // The answer is over, for whatever reason.
  finish() {
    this.activate("");
    this.find("strand").parentElement.classList.remove("live");
    for (const call of this.calls.values()) {
      let read;
      try {
        read = JSON.parse(call.text);
      } catch {
        /* cut off, and shown as it came */
      }
      call.card.classList.remove("open");
      call.state.textContent = read ? "complete" : "cut off";
      call.state.classList.add(read ? "done" : "cut");
      if (read) call.body.textContent = JSON.stringify(read, null, 2);
    }
    if (this.calls.size) this.calls.values().next().value.card.scrollIntoView({ block: "nearest" });
  }

  activate(part) {
    this.loom.dataset.active = part;
    for (const panel of this.loom.querySelectorAll(".part")) panel.classList.toggle("live", panel.dataset.part === part);
  }

  #words(part, text) {
    const box = this.find(part);
    if (box.firstChild) box.firstChild.appendData(text);
    else box.append(text);
    toEnd(box);
    this.activate(part);
    this.#count(part, [...text].length, "character");
  }

  #call({ index, id, function: named }) {
    const box = this.find("calls");
    let call = this.calls.get(index);
    if (!call) {
      for (const earlier of this.calls.values()) earlier.card.classList.remove("open");
      call = {
        text: "",
        card: element("div", "call open"),
        body: element("pre"),
        state: element("span", "call-state", "arriving…"),
      };
      const head = element("div", "call-head");
      head.append(element("span", "call-name", named.name), element("span", "call-id", id), call.state);
      call.card.append(head, call.body);
      box.append(call.card);
      this.calls.set(index, call);
      this.#count("calls", 1, "call");
    }
    if (named.arguments) {
      call.text += named.arguments;
      call.body.append(named.arguments);
    }
    toEnd(box);
    this.activate("calls");
  }

  #count(name, more, unit) {
    const count = (this.counts[name] += more);
    this.find(`count-${name}`).textContent = `${count.toLocaleString("en")} ${unit}${count === 1 ? "" : "s"}`;
  }
}
