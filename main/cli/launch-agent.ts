/** Tensordeck's agent as a launchd agent of a macOS account, and how to install it. */
import { posix } from "node:path";
import { shellCommand, shellWord } from "../../worker-runtime/cluster/orchestrators/shell-words.js";
import type { ServiceUnitOptions } from "./service-unit.js";
import { xmlText } from "./xml-text.js";

const LABEL = "org.tensordeck.agent";
const FILE = `~/Library/LaunchAgents/${LABEL}.plist`;

const logFile = (dataDir: string) => posix.join(dataDir, "logs", "agent.log");

/** The property list. launchd runs it with the account's rights while that account is signed in. */
export function launchAgent({ node, program, flags, dataDir }: Omit<ServiceUnitOptions, "user">): string {
  const words = [node, program, "agent", "--data-dir", dataDir, ...flags];
  const log = `<string>${xmlText(logFile(dataDir))}</string>`;
  // ProcessType: launchd slows down the processor and the disk for those that are not interactive.
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${words.map((word) => `    <string>${xmlText(word)}</string>`).join("\n")}
  </array>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key>
  <dict><key>SuccessfulExit</key><false/></dict>
  <key>ExitTimeOut</key><integer>10</integer>
  <key>ProcessType</key><string>Interactive</string>
  <key>SoftResourceLimits</key>
  <dict><key>NumberOfFiles</key><integer>65536</integer></dict>
  <key>StandardOutPath</key>${log}
  <key>StandardErrorPath</key>${log}
</dict>
</plist>
`;
}

/**
 * The commands that install, show and remove it.
 *
 * @param words of the command that prints the property list.
 */
export function launchAgentCommands(words: readonly string[], dataDir: string): string {
  const log = logFile(dataDir);
  return `Install it, and start it now and whenever you sign in:
  mkdir -p ~/Library/LaunchAgents ${shellWord(posix.dirname(log))}
  ${shellCommand(words)} > ${FILE}
  launchctl bootstrap gui/$(id -u) ${FILE}
Its state:
  launchctl print gui/$(id -u)/${LABEL}
Its output, including the codes of pairings:
  tail -f ${shellWord(log)}
Stop it and remove it:
  launchctl bootout gui/$(id -u)/${LABEL}
  rm ${FILE}
`;
}
