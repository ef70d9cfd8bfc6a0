/** The outer script: asks for the rights once, waits for the inner one, and reports the outcome in its exit code. */
import { literal } from "../../../shared/powershell-literal.js";
import { exitCodes } from "./exit-codes.js";
import { preamble } from "./powershell.js";

/** ERROR_CANCELLED, which Windows reports for a declined prompt. */
const ERROR_CANCELLED = 1223;

/**
 * Start-Process drops the number of Windows' error and leaves only its text, which is in the user's language; .NET
 * keeps the number, so it starts the process. The inner script is passed encoded: a file could be changed between the
 * check and the prompt. The outer script holds it as text, since one that is encoded twice is seven times as long.
 */
export function elevateScript(inner: string): string {
  const lines = inner.split("\n").map(literal).join(",\n");
  return `${preamble}$inner = [string]::Join([string][char]10, @(
${lines}
))
$encoded = [Convert]::ToBase64String([Text.Encoding]::Unicode.GetBytes($inner))
$start = New-Object -TypeName System.Diagnostics.ProcessStartInfo
$start.FileName = "$PSHOME\\powershell.exe"
$start.Arguments = "-NoProfile -NonInteractive -WindowStyle Hidden -EncodedCommand $encoded"
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
