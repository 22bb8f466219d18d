// The form: what is asked, how, and what the server says of itself. Drawing is view.js, the wire is stream.js.

import { RequestFailed, complete, getJson } from "./stream.js";
import { View } from "./view.js";

const find = (id) => document.getElementById(id);
const view = new View(find);
let model = "";
let running = null;
let ended = -Infinity;

const TOOLS = [
  {
    type: "function",
    function: {
      name: "write_note",
      description: "Write a note for the user.",
      parameters: {
        type: "object",
        properties: { title: { type: "string", maxLength: 60 }, text: { type: "string", maxLength: 280 } },
        required: ["title", "text"],
        additionalProperties: false,
      },
    },
  },
  {
    type: "function",
    function: {
      name: "find_trains",
      description: "Find train connections.",
      parameters: {
        type: "object",
        properties: {
          to: { type: "string", maxLength: 40 },
          seats: { type: "integer", minimum: 1, maximum: 9 },
          time: { type: "string", enum: ["morning", "noon", "evening"] },
        },
        required: ["to", "seats", "time"],
        additionalProperties: false,
      },
    },
  },
];

// ---- the request

function offered() {
  const tools = JSON.parse(find("tools").value);
  if (!Array.isArray(tools)) throw new SyntaxError("it must be a list");
  return tools;
}

function request() {
  const choice = find("choice").value;
  const asked = {
    model,
    messages: [{ role: "user", content: find("question").value }],
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: Number(find("most").value),
    temperature: Number(find("temperature").value),
    repetition_penalty: 1.15,
    reasoning: find("thinking").checked,
    unbraid: { raw: true, format: find("format").value },
  };
  if (choice === "off") return asked;
  asked.tools = offered();
  asked.tool_choice = choice.startsWith("=") ? { type: "function", function: { name: choice.slice(1) } } : choice;
  return asked;
}

function showCommand() {
  try {
    const body = JSON.stringify({ ...request(), unbraid: { format: find("format").value } }, null, 1);
    const key = find("key").value ? " -H 'authorization: Bearer KEY'" : "";
    const url = new URL("v1/chat/completions", location.href);
    find("command").value = `curl -N ${url} -H 'content-type: application/json'${key} -d '${body.replaceAll("'", "'\\''")}'`;
  } catch {
    find("command").value = "";
  }
}

function showChoices() {
  let tools = [];
  try {
    tools = offered();
    find("tools").setCustomValidity("");
  } catch (error) {
    find("tools").setCustomValidity(`The tools aren't valid JSON: ${error.message}`);
    return;
  }
  const box = find("choice");
  const before = box.value || "=write_note";
  const named = tools.map((tool) => tool?.function?.name).filter(Boolean);
  const options = [
    ["off", "No tools"],
    ["auto", "auto: the model decides"],
    ["none", "none: no call"],
    ["required", "required: any tool"],
    ...named.map((name) => [`=${name}`, `named: ${name}`]),
  ];
  box.replaceChildren(...options.map(([value, text]) => new Option(text, value)));
  box.value = options.some(([value]) => value === before) ? before : "required";
}

// ---- asking

async function ask() {
  const started = performance.now();
  const abort = new AbortController();
  running = abort;
  setRunning(true);
  problem("");
  view.start();
  const facts = { first: 0, reason: "", usage: null, notes: [] };
  say(["The model is reading…"]);
  try {
    for await (const chunk of complete(request(), { key: find("key").value, signal: abort.signal })) {
      if (!facts.first) {
        facts.first = performance.now() - started;
        say(["The model is writing."]);
      }
      facts.reason = chunk.choices[0]?.finish_reason ?? facts.reason;
      facts.usage = chunk.usage ?? facts.usage;
      facts.notes = chunk.unbraid?.notes ?? facts.notes;
      view.add(chunk);
      tick(view.counts.strand, performance.now() - started - facts.first);
    }
  } catch (error) {
    if (abort.signal.aborted) facts.reason = "stopped by you";
    else failed(error);
  } finally {
    view.finish();
    find("ticker").textContent = "";
    setRunning(false);
    running = null;
    ended = performance.now();
    summarise(facts, performance.now() - started);
  }
}

function summarise({ first, reason, usage, notes }, took) {
  if (!first) return say([]);
  const seconds = (took - first) / 1000;
  const parts = [["finish reason", reason || "none"]];
  if (usage) {
    parts.push(["prompt", `${usage.prompt_tokens} tokens`], ["answer", `${usage.completion_tokens} tokens`]);
    if (seconds > 0.05) parts.push(["speed", `${(usage.completion_tokens / seconds).toFixed(0)} tokens/s`]);
  }
  parts.push(["first token", `${(first / 1000).toFixed(2)} s`]);
  say(parts, notes.map((note) => `${note.kind.replaceAll("_", " ")}: ${note.detail}`));
}

function tick(pieces, took) {
  find("ticker").textContent = took > 300 ? `${((1000 * pieces) / took).toFixed(0)} pieces/s` : "";
}

function say(parts, notes = []) {
  const shown = parts.map((part) => {
    const span = document.createElement("span");
    if (typeof part === "string") span.textContent = part;
    else span.append(`${part[0]} `, Object.assign(document.createElement("b"), { textContent: part[1] }));
    return span;
  });
  for (const note of notes) shown.push(Object.assign(document.createElement("span"), { className: "note", textContent: note }));
  find("status").replaceChildren(...shown);
}

function failed(error) {
  if (error.status === 401) {
    find("key-field").hidden = false;
    find("key").focus();
  }
  problem(error instanceof RequestFailed || error instanceof SyntaxError ? error.message : "The server can't be reached.");
}

function problem(text) {
  find("problem").textContent = text;
  find("problem").hidden = !text;
}

function setRunning(on) {
  find("send-label").textContent = on ? "Stop" : "Ask";
  find("send").classList.toggle("stop", on);
}

// ---- what the server says of itself

async function greet() {
  try {
    const key = find("key").value;
    const [models, formats] = await Promise.all([getJson("v1/models", key), getJson("v1/formats", key)]);
    model = models.data[0].id;
    find("model").textContent = model;
    document.querySelector(".dot").className = "dot up";
    const before = find("format").value || formats.default;
    find("format").replaceChildren(...formats.data.map(({ name, source }) => Object.assign(new Option(name, name), { title: source })));
    find("format").value = before;
    problem("");
    showCommand();
  } catch (error) {
    find("model").textContent = "not connected";
    document.querySelector(".dot").className = "dot down";
    failed(error);
  }
}

function theme(chosen) {
  document.documentElement.dataset.theme = chosen;
}

const dark = matchMedia("(prefers-color-scheme: dark)");
theme(localStorage.getItem("theme") ?? (dark.matches ? "dark" : "light"));
dark.addEventListener("change", () => localStorage.getItem("theme") ?? theme(dark.matches ? "dark" : "light"));
find("theme").addEventListener("click", () => {
  theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  localStorage.setItem("theme", document.documentElement.dataset.theme);
});

find("tools").value = JSON.stringify(TOOLS, null, 1);
showChoices();
find("tools").addEventListener("input", showChoices);
find("ask").addEventListener("input", showCommand);
find("key").addEventListener("change", greet);
find("copy").addEventListener("click", async () => {
  await navigator.clipboard.writeText(find("command").value);
  find("copy").textContent = "Copied";
  setTimeout(() => (find("copy").textContent = "Copy"), 1500);
});
find("question").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  find("ask").requestSubmit();
});
find("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  if (running) running.abort();
  else if (event.submitter !== find("send") || performance.now() - ended > 400) ask(); // a late "Stop" isn't an "Ask"
});
greet();
