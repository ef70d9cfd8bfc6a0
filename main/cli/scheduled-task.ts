/**
 * Tensordeck's agent as a task of Windows' Task Scheduler that starts with the machine, and how to install it. A service
 * would have to answer Windows' service manager, which a Node program cannot do by itself.
 */
import { invalidArgument } from "../../worker-runtime/protocol/status.js";
import { literal } from "../shared/powershell-literal.js";
import type { ServiceUnitOptions } from "./service-unit.js";
import { xmlText } from "./xml-text.js";

const TASK = "Tensordeck";

/**
 * The task. It has the account's rights (S4U: without its password, and whether or not it is signed in).
 *
 * @throws TensorFlowError INVALID_ARGUMENT for words that Task Scheduler would replace by others
 */
export function scheduledTask({ node, program, flags, dataDir, user }: ServiceUnitOptions): string {
  const words = [program, "agent", "--data-dir", dataDir, ...flags];
  const replaced = [node, ...words].find((word) => /%.*%|\$\(/.test(word));
  if (replaced !== undefined) {
    throw invalidArgument(
      `Task Scheduler replaces what is in %…% and $(…), so it cannot pass on "${replaced}". Choose another name or folder.`,
    );
  }
  return `<?xml version="1.0"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>Tensordeck agent: tasks of TensorFlow clusters for paired machines</Description>
  </RegistrationInfo>
  <Triggers><BootTrigger><Enabled>true</Enabled></BootTrigger></Triggers>
  <Principals>
    <Principal id="Author">
      <UserId>${xmlText(user)}</UserId>
      <LogonType>S4U</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <Priority>5</Priority>
    <RestartOnFailure><Interval>PT1M</Interval><Count>255</Count></RestartOnFailure>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>${xmlText(node)}</Command>
      <Arguments>${xmlText(words.map(windowsWord).join(" "))}</Arguments>
    </Exec>
  </Actions>
</Task>
`;
}

/**
 * The commands that install, show and remove it.
 *
 * @param words of the command that prints the task.
 */
export function scheduledTaskCommands(words: readonly string[]): string {
  const command = words.map(powershellWord).join(" ");
  return `Install it and start it, in PowerShell as administrator:
  Register-ScheduledTask -TaskName ${TASK} -Xml (${command} | Out-String)
  Start-ScheduledTask -TaskName ${TASK}
Its state:
  Get-ScheduledTaskInfo -TaskName ${TASK}
The address of its window, which shows its log and the codes of pairings:
  tensordeck agent link
Stop it and remove it:
  Stop-ScheduledTask -TaskName ${TASK}
  Unregister-ScheduledTask -TaskName ${TASK} -Confirm:$false
`;
}

/** As programs of Microsoft's C library split their command line: backslashes are doubled only in front of quotes. */
function windowsWord(word: string): string {
  if (/^[^\s"]+$/.test(word)) return word;
  return `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, "$1$1")}"`;
}

/** In single quotation marks, in which PowerShell replaces nothing; "-a.b" without would be two words to it. */
function powershellWord(word: string): string {
  return /^(?:[\w-]+|\w[\w.-]*)$/.test(word) ? word : literal(word);
}
