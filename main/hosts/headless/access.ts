/**
 * Who may use the headless host. Any program of any user of this machine can reach a loopback port, and any web page
 * can make the browser try, so nothing is answered without a secret, and a secret is issued only for a token that
 * the host printed or that a connected window requested.
 */
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

/** Long enough to read a terminal, short enough that an address left in a log is soon worthless. */
const TOKEN_LIFETIME_MILLIS = 15 * 60_000;
const SECRET_BYTES = 32;
/** A tab keeps its secret until the host ends; this limits a window that requests links in a loop. */
const MAX_OPEN_TOKENS = 100;

interface OpenToken {
  readonly digest: Buffer;
  readonly expiresAt: number;
}

export class Access {
  readonly #now: () => number;
  /** Tokens that were neither used nor have expired. Only digests are kept. */
  #tokens: OpenToken[] = [];
  /** Digests of the secrets of all tabs. */
  readonly #secrets: Buffer[] = [];

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** A new one-time token. */
  issueToken(): string {
    const token = newSecret();
    this.#dropExpired();
    if (this.#tokens.length >= MAX_OPEN_TOKENS) this.#tokens.shift();
    this.#tokens.push({ digest: digestOf(token), expiresAt: this.#now() + TOKEN_LIFETIME_MILLIS });
    return token;
  }

  /** Exchanges a valid token, once, for the secret of a tab. */
  exchange(token: string): string | undefined {
    this.#dropExpired();
    const digest = digestOf(token);
    // Every token is compared, so that the time taken does not reveal which one nearly matched.
    const matches = this.#tokens.map((open) => timingSafeEqual(open.digest, digest));
    const index = matches.indexOf(true);
    if (index < 0) return undefined;
    this.#tokens.splice(index, 1);
    const secret = newSecret();
    this.#secrets.push(digestOf(secret));
    return secret;
  }

  /** Whether a tab's secret was issued by this host. */
  admits(secret: string): boolean {
    const digest = digestOf(secret);
    let admitted = false;
    for (const known of this.#secrets) {
      if (timingSafeEqual(known, digest)) admitted = true;
    }
    return admitted;
  }

  #dropExpired(): void {
    const now = this.#now();
    this.#tokens = this.#tokens.filter((token) => token.expiresAt > now);
  }
}

/** URL-safe, and of the characters that a WebSocket subprotocol may have. */
function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString("base64url");
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** The Host headers under which the host answers; any other name indicates DNS rebinding. */
export function isOwnHost(host: string | undefined, port: number): boolean {
  return host === `127.0.0.1:${port}` || host === `localhost:${port}`;
}

/** Whether an Origin header is that of the host's own pages. A request without one comes from no page of ours. */
export function isOwnOrigin(origin: string | undefined, port: number): boolean {
  return origin === `http://127.0.0.1:${port}` || origin === `http://localhost:${port}`;
}
