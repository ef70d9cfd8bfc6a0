/**
 * Secrets are recognised by their form, not by their origin, so that no caller can forget one: anything that looks
 * like one is removed from the log, even if that sometimes affects a harmless number.
 */

const LEFT_OUT = "[left out]";

interface Form {
  readonly pattern: RegExp;
  readonly replacement: string;
}

const FORMS: readonly Form[] = [
  // Keys and certificates in PEM, also where JSON has written the line breaks as "\n".
  { pattern: /-----BEGIN [A-Z ]+-----.*?(?:-----END [A-Z ]+-----|$)/gs, replacement: LEFT_OUT },
  // Addresses of windows: a token until it was used is as good as the window.
  { pattern: /([#?&](?:token|secret|key|code)=)[^\s&"'`<>]+/gi, replacement: `$1${LEFT_OUT}` },
  { pattern: /\b((?:Bearer|Basic)\s+)\S+/gi, replacement: `$1${LEFT_OUT}` },
  // User names and passwords in addresses.
  { pattern: /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, replacement: `$1${LEFT_OUT}@` },
  // Named values: password=…, "secret": "…", api_key: ….
  {
    pattern:
      /(["']?\b(?:[\w-]*(?:password|passwd|passphrase|secret|token|credential|api[_-]?key|private[_-]?key))["']?\s*[:=]\s*)("[^"]*"|'[^']*'|[^\s,;}]+)/gi,
    replacement: `$1${LEFT_OUT}`,
  },
  // Tokens and secrets of Tensordeck: 32 bytes in base64url.
  { pattern: /(?<![\w-])[\w-]{43}(?![\w-])/g, replacement: LEFT_OUT },
  // Pairing codes: six digits, also in two groups. Those after a line number are a column of minified code.
  { pattern: /(?<![\w.]|:\d+:)\d{3}[ -]?\d{3}(?![\w.]\d)(?!\w)/g, replacement: LEFT_OUT },
];

/** A text without anything that may be a token, a key, a password or a pairing code. */
export function redacted(text: string): string {
  return FORMS.reduce((result, { pattern, replacement }) => result.replace(pattern, replacement), text);
}
