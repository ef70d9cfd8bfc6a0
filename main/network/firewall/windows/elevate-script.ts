/** The outer script: asks for the rights once, waits for the inner one, and reports the outcome in its exit code. */
import { encodeScript, literal } from "./powershell.js";

/** Exit codes of the scripts; all but the first differ from those of Windows and PowerShell. */
export const exitCodes = {
  applied: 0,
  /** A cmdlet of the inner script failed; the steps before it may have been carried out. */
  failed: 20,
  /** The prompt was answered with No, or closed. */
  declined: 41,
  /** No prompt could be shown. */
  notAsked: 42,
} as const;

/** ERROR_CANCELLED, which Windows reports for a declined prompt. */
const ERROR_CANCELLED = 1223;

/**
 * Start-Process drops the number of Windows' error and leaves only its text, which is in the user's language; .NET
 * keeps the number, so it starts the process. The inner script is passed encoded: a file could be changed between the
 * check and the prompt.
 */
export function elevateScript(inner: string): string {
  const args = `-NoProfile -NonInteractive -WindowStyle Hidden -EncodedCommand ${encodeScript(inner)}`;
  return `$ErrorActionPreference = 'Stop'
$start = New-Object -TypeName System.Diagnostics.ProcessStartInfo
$start.FileName = "$PSHOME\\powershell.exe"
$start.Arguments = ${literal(args)}
$start.Verb = 'runas'
$start.UseShellExecute = $true
$start.WindowStyle = 'Hidden'
try {
  $process = [System.Diagnostics.Process]::Start($start)
  $process.WaitForExit()
  exit $process.ExitCode
} catch {
  $cause = $_.Exception
  while ($cause) {
    if ($cause -is [System.ComponentModel.Win32Exception] -and $cause.NativeErrorCode -eq ${ERROR_CANCELLED}) {
      exit ${exitCodes.declined}
    }
    $last = $cause
    $cause = $cause.InnerException
  }
  [Console]::Error.WriteLine($last.Message)
  exit ${exitCodes.notAsked}
}
`;
}
