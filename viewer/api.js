// Requests to the server. Every failure becomes an Error whose message is a sentence for the user.

// The connection itself failed: nobody answers at this address any more.
export class ServerGone extends Error {}

// The server answered, but refused; `status` is the HTTP status and the message is the server's own sentence.
export class ServerSaid extends Error {
  constructor(status, words) {
    super(words);
    this.status = status;
  }
}

async function ask(url, options) {
  let response;
  try {
    response = await fetch(url, options);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ServerGone('The server has stopped.');
  }
  if (response.ok) return response;
  let words = `The server answered ${url} with status ${response.status}.`;
  try {
    words = (await response.json()).error ?? words;
  } catch {
    // An answer without a sentence keeps the one above.
  }
  throw new ServerSaid(response.status, words);
}

// A body that breaks off is a server that died in the middle of it.
async function body(response, kind) {
  try {
    return await response[kind]();
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    throw new ServerGone('The server has stopped.');
  }
}

export async function getJson(url) {
  return body(await ask(url, {cache: 'no-store'}), 'json');
}

export async function getText(url) {
  return body(await ask(url, {cache: 'no-store'}), 'text');
}

// The whole of `url`, or null if the server has nothing (yet).
export async function getBytes(url, signal) {
  const response = await ask(url, {cache: 'no-store', signal});
  return response.status === 204 ? null : body(response, 'arrayBuffer');
}

// Bytes first..last of `url` (fewer if it is shorter), and how long it is in all. Past the browser's own cache, which would
// hold every frame a second time.
export async function getRange(url, first, last, signal) {
  const response = await ask(url, {cache: 'no-store', signal, headers: {Range: `bytes=${first}-${last}`}});
  const buffer = await body(response, 'arrayBuffer');
  if (response.status === 206) {
    return {buffer, total: Number(response.headers.get('Content-Range')?.split('/')[1] ?? NaN)};
  }
  return {buffer: buffer.slice(first, last + 1), total: buffer.byteLength};
}

export async function post(url, message) {
  const response = await ask(url, {
    method: 'POST',
    headers: {'Content-Type': 'application/json'},
    body: JSON.stringify(message),
  });
  return response.status === 204 ? null : body(response, 'json');
}
