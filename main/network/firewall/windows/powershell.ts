/** Encoding and running PowerShell scripts. */
import { win32 } from "node:path";
import { windowsSystemFolder } from "../../../../worker-runtime/programs/find-program.js";

/**
 * The first lines of every script. Modules of the account, which take precedence, would run with an administrator's rights;
 * records of progress would be written as XML to the error stream; and a name that is misspelled would be nothing instead of
 * an error.
 */
export const preamble = `Set-StrictMode -Version 3.0
$env:PSModulePath = "$PSHOME\\Modules"
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
`;

/** Begins the error ID of a cmdlet that found no rule with the given name. */
export const NOT_FOUND_ERROR = "^CmdletizationQuery_NotFound";

/** A script as `-EncodedCommand` takes it: base64 of UTF-16LE. */
export function encodeScript(script: string): string {
  return Buffer.from(script, "utf16le").toString("base64");
}

export function decodeScript(encoded: string): string {
  return Buffer.from(encoded, "base64").toString("utf16le");
}

/** Windows' own PowerShell by its full path, so that no other program of that name is run. */
export function powershellPath(environment: NodeJS.ProcessEnv = process.env): string {
  return win32.join(windowsSystemFolder(environment), "WindowsPowerShell", "v1.0", "powershell.exe");
}

/** No user profile and no questions: only the script runs. Errors are text, where an encoded command gives XML by default. */
export const SCRIPT_OPTIONS = ["-NoProfile", "-NonInteractive", "-OutputFormat", "Text"] as const;

export function scriptArguments(script: string): string[] {
  return [...SCRIPT_OPTIONS, "-EncodedCommand", encodeScript(script)];
}

/**
 * A function of the scripts: the rule with a name, or nothing. SilentlyContinue in its place would hide every other failure as
 * well, and a rule that cannot be read would count as one that is not there.
 */
export const findRule = `function Find-Rule {
  param($Name)
  try { Get-NetFirewallRule -Name $Name -ErrorAction Stop } catch {
    if ($_.FullyQualifiedErrorId -notmatch '${NOT_FOUND_ERROR}') { throw }
  }
}
`;
