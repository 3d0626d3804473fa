// Talking to the server: JSON in and out, the CSRF header on what changes something, and errors that a person can read.
import { canSay, language, say } from "./messages.js";

/** Error reply of the server; `status` 0 if it could not be reached. */
export class ApiError extends Error {
  /**
   * @param {{status: number, code?: string, message?: string, next?: string, wait?: number,
   *   mandarin?: {message?: string, next?: string}}} facts `wait` in seconds, where the server named it; `mandarin` holds
   *   the sentence and the next step in that language
   */
  constructor({ status, code = "", message = "", next = "", wait = 0, mandarin = {} }) {
    super(message || `HTTP ${status}`);
    this.status = status;
    this.code = code;
    this.next = next;
    this.wait = wait;
    this.mandarin = mandarin;
  }

  /**
   * True if the same request may succeed later without being changed: the server is busy or away, it was started without
   * the name of this address (421), or something before it answered in its place, for that names no code.
   */
  get passing() {
    return [0, 408, 421, 429].includes(this.status) || this.status >= 500 || !this.code;
  }
}

let csrf = "";
let who = "";
let answering = null;

/**
 * Lets the page answer requests itself, as a preview does, instead of the server.
 * @param {(method: string, path: string, body: unknown) => unknown} answer gives the reply; `undefined` asks the server
 */
export function answerRequests(answer) {
  answering = answer;
}

/**
 * Message for an error: a sentence of ours for its code, or else one by the kind of trouble, then what
 * the server said, which it says in both languages.
 */
export function kindly(error) {
  if (!(error instanceof ApiError)) return say("error.unexpected", { detail: String(error?.message ?? error) });
  if (canSay(`refused.${error.code}`)) return say(`refused.${error.code}`);
  const opening = {
    0: "error.offline",
    401: "error.signed-out",
    403: "error.forbidden",
    404: "error.missing",
    413: "error.large",
    415: "error.type",
    429: "error.often",
  }[error.status];
  const detail = language() === "zh" && error.mandarin.message ? error.mandarin : error;
  const said = [detail.message, detail.next].filter((text) => text && !text.startsWith("HTTP ")).join(" ");
  if (error.status === 429) return say(opening, { seconds: Math.max(1, Math.ceil(error.wait)) });
  if (error.status >= 500) return say("error.server");
  if (opening && [0, 401].includes(error.status)) return say(opening);
  return opening
    ? [say(opening), said].filter(Boolean).join(" ")
    : said || say("error.unexpected", { detail: error.message });
}

/** The error that a reply which is not 2xx stands for. */
async function refusal(response) {
  let details = {};
  try {
    const body = (await response.json())?.error;
    if (body && typeof body === "object") details = body;
  } catch {
    // No JSON: the status alone says what it says.
  }
  const { code, message, next, mandarin } = details;
  return new ApiError({
    status: response.status,
    code,
    message,
    next,
    mandarin,
    wait: Number(response.headers.get("Retry-After")) || 0,
  });
}

/**
 * One request.
 * @param {string} method
 * @param {string} path
 * @param {{body?: unknown, raw?: BodyInit, type?: string, keepalive?: boolean, timeout?: number}} options `body` is sent
 *   as JSON, `raw` as it is
 */
export async function request(method, path, { body, raw, type, keepalive = false, timeout = 20000 } = {}) {
  const own = answering?.(method, path, body);
  if (own !== undefined) return structuredClone(own);
  const attempt = async () => {
    const headers = { Accept: "application/json" };
    if (csrf && method !== "GET") headers["X-Aptone-CSRF"] = csrf;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    else if (type) headers["Content-Type"] = type;
    let response;
    try {
      response = await fetch(path, {
        method,
        headers,
        body: body === undefined ? raw : JSON.stringify(body),
        credentials: "same-origin",
        keepalive,
        cache: "no-store",
        redirect: "error",
        signal: AbortSignal.timeout(timeout),
      });
    } catch (error) {
      throw new ApiError({ status: 0, code: "offline", message: String(error?.message ?? error) });
    }
    if (!response.ok) throw await refusal(response);
    if (response.status === 204) return null;
    try {
      return await response.json();
    } catch (error) {
      throw new ApiError({ status: 0, code: "cut-off", message: String(error?.message ?? error) });
    }
  };
  try {
    return await attempt();
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "csrf") throw error;
    const reply = await get("/api/me"); // the session was renewed in another tab: its value is read again, once
    if (who && reply.person.id !== who) throw new ApiError({ status: 401, code: "another-person" });
    csrf = reply.csrf;
    return attempt();
  }
}

export const get = (path, options) => request("GET", path, options);
export const post = (path, body = {}, options = {}) => request("POST", path, { ...options, body });
export const put = (path, body = {}, options = {}) => request("PUT", path, { ...options, body });
export const patch = (path, body = {}, options = {}) => request("PATCH", path, { ...options, body });
export const remove = (path, options = {}) => request("DELETE", path, options);

/** Fetches the signed-in person; keeps the CSRF value for the requests that follow. */
export async function me() {
  return entered(await get("/api/me"));
}

/** Signs in with the token of a personal link. */
export async function join({ token, name, language }) {
  const reply = await post("/api/session", { token, ...(name ? { name } : {}), ...(language ? { language } : {}) });
  return entered(reply);
}

/** Signs in as somebody whom a platform has sent. */
export async function takePart({ secret, participant, study, language }) {
  return entered(await post("/api/session/participant", { secret, participant, study, language }));
}

/** Signs in by name and password. */
export async function enter({ name, password }) {
  return entered(await post("/api/session/password", { name, password }));
}

/** Providers that one can sign in by: ``[{id, name}]``. */
export const providers = () => get("/api/sign-in");

/** Sends the browser to a provider, to come in or, with `connect`, to connect it with the own account. */
export async function goToProvider(provider, { connect = false } = {}) {
  const { url } = await post(connect ? "/api/me/identities" : "/api/sign-in", { provider });
  location.assign(url);
}

/** Finishes what `goToProvider` began. */
export async function finishSignIn(returned) {
  return entered(await post("/api/session/provider", returned));
}

/** Keeps whose page this is: if another person signs in on this device, it sends nothing in that person's name. */
function entered(reply) {
  csrf = reply.csrf;
  who = reply.person.id;
  return reply.person;
}

/** A path with its parts escaped: ``path("api", "tasks", name)``. */
export const path = (...parts) => `/${parts.map(encodeURIComponent).join("/")}`;
