// Talks to the server: asks for a streamed completion and hands over its chunks. Knows nothing of the page.

export class RequestFailed extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

export async function getJson(path, key) {
  return read(await fetch(path, { headers: headers(key) }));
}

// Yields the chunks of a streamed completion. Aborting the signal closes the connection, which stops the model.
export async function* complete(request, { key, signal }) {
  const response = await fetch("v1/chat/completions", {
    method: "POST",
    headers: { ...headers(key), "content-type": "application/json" },
    body: JSON.stringify(request),
    signal,
  });
  if (!response.ok) await read(response);
  let waiting = "";
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new RequestFailed("The stream ended before the answer did.");
    waiting += value;
    let end;
    while ((end = waiting.indexOf("\n\n")) >= 0) {
      const line = waiting.slice(0, end);
      waiting = waiting.slice(end + 2);
      if (!line.startsWith("data: ")) continue;
      if (line === "data: [DONE]") return;
      const chunk = JSON.parse(line.slice(6));
      if (chunk.error) throw new RequestFailed(chunk.error.message);
      yield chunk;
    }
  }
}

function headers(key) {
  return key ? { authorization: `Bearer ${key}` } : {};
}

async function read(response) {
  const body = await response.json().catch(() => null);
  if (response.ok) return body;
  throw new RequestFailed(body?.error?.message ?? `The server said ${response.status}.`, response.status);
}
