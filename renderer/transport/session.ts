/**
 * How a browser tab gets access to the application: the link that `npm start` prints carries a one-time token in its
 * fragment, which no server log or referrer ever sees. It is exchanged for a secret of this tab, which survives a
 * reload but not the tab.
 */
import { SESSION_PATH, sessionResponseSchema } from "../../main/api/headless.js";

const SECRET_KEY = "tensordeck.secret";

/**
 * missing: the address has no token. used: the application does not accept it, or no longer. ended: the
 * secret of this tab is from an application that has ended since then. unreachable: no answer.
 */
export type Refusal = "missing" | "used" | "ended" | "unreachable";
export type Admission =
  | { readonly ok: true; readonly secret: string }
  | { readonly ok: false; readonly refusal: Refusal };

/** The token of an address's fragment, "#token=…" or the bare token; undefined if there is none. */
export function tokenOfFragment(fragment: string): string | undefined {
  const text = fragment.replace(/^#/, "");
  const token = text.includes("=") ? (new URLSearchParams(text).get("token") ?? "") : text;
  return token === "" ? undefined : token;
}

/** Signs in with the token of the address, otherwise with the secret that this tab already has. */
export async function enter(): Promise<Admission> {
  const token = tokenOfFragment(window.location.hash);
  if (token !== undefined) {
    // Before anything else: an address with a token must not stay where it can be copied or bookmarked.
    window.history.replaceState(null, "", window.location.pathname + window.location.search);
    let secret: string | undefined;
    try {
      secret = await exchange(token);
    } catch {
      return { ok: false, refusal: "unreachable" };
    }
    if (secret !== undefined) {
      sessionStorage.setItem(SECRET_KEY, secret);
      return { ok: true, secret };
    }
  }
  const secret = sessionStorage.getItem(SECRET_KEY);
  if (secret !== null) return { ok: true, secret };
  return { ok: false, refusal: token === undefined ? "missing" : "used" };
}

/** Forgets a secret that the application no longer accepts. */
export function forgetSecret(): void {
  sessionStorage.removeItem(SECRET_KEY);
}

async function exchange(token: string): Promise<string | undefined> {
  const response = await fetch(SESSION_PATH, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
    // With the page's own policy, "no-referrer", the browser would send no Origin, and the host would refuse.
    referrerPolicy: "same-origin",
    cache: "no-store",
  });
  if (!response.ok) return undefined;
  const answer = sessionResponseSchema.safeParse(await response.json());
  return answer.success ? answer.data.secret : undefined;
}

/** True if the application responds but does not know the secret, as after a restart. */
export async function isForgotten(secret: string): Promise<boolean> {
  try {
    const response = await fetch(SESSION_PATH, {
      headers: { authorization: `Bearer ${secret}` },
      cache: "no-store",
    });
    return response.status === 401;
  } catch {
    return false;
  }
}
