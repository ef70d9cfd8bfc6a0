/** Quoting, encoding and running PowerShell scripts. */
import { win32 } from "node:path";
import { problem } from "../../../shared/problems.js";

/** Characters that PowerShell treats as a single quotation mark; within a literal each is doubled. */
const QUOTES = /['\u2018\u2019\u201a\u201b]/g;

/**
 * Quotes a string as a literal.
 *
 * @throws ProblemError INVALID_ARGUMENT when it holds a line break or another control character.
 */
export function literal(text: string): string {
  if (/\p{Cc}|\p{Zl}|\p{Zp}/u.test(text)) {
    throw problem("INVALID_ARGUMENT", "A name with a control character cannot be used in a script.", {
      details: JSON.stringify(text),
    });
  }
  return `'${text.replace(QUOTES, "$&$&")}'`;
}

/** `'a', 'b'`, or `@()` for an empty list. */
export function literals(texts: readonly string[]): string {
  return texts.length === 0 ? "@()" : texts.map(literal).join(", ");
}

/** A script as `-EncodedCommand` takes it: base64 of UTF-16LE. */
export function encodeScript(script: string): string {
  return Buffer.from(script, "utf16le").toString("base64");
}

export function decodeScript(encoded: string): string {
  return Buffer.from(encoded, "base64").toString("utf16le");
}

/** Windows' own PowerShell by its full path, so that no other program of that name is run. */
export function powershellPath(environment: NodeJS.ProcessEnv = process.env): string {
  const root = environment.SystemRoot ?? "C:\\Windows";
  return win32.join(root, "System32", "WindowsPowerShell", "v1.0", "powershell.exe");
}

/** No user profile and no questions: only the script runs. */
export function scriptArguments(script: string): string[] {
  return ["-NoProfile", "-NonInteractive", "-EncodedCommand", encodeScript(script)];
}
