/** Tensordeck's agent as a systemd service, and how to install it. */
import { shellCommand } from "../../worker-runtime/cluster/orchestrators/shell-words.js";

export interface ServiceUnitOptions {
  /** The Node that runs the agent. */
  readonly node: string;
  /** The `tensordeck` program. */
  readonly program: string;
  /** The arguments after `tensordeck agent`. */
  readonly flags: readonly string[];
  readonly dataDir: string;
  /** The account whose rights the agent and its tasks have. */
  readonly user: string;
}

/**
 * The unit. It restricts the service to what running graphs needs and leaves it GPUs (their device files, memory that
 * is writable and executable for CUDA's and WebGPU's compilers) and the account's files, which graphs read and write.
 */
export function serviceUnit({ node, program, flags, dataDir, user }: ServiceUnitOptions): string {
  const command = [node, program, "agent", "--data-dir", dataDir, ...flags].map(quoted).join(" ");
  return `[Unit]
Description=Tensordeck agent: tasks of TensorFlow clusters for paired machines
After=network-online.target
Wants=network-online.target

[Service]
Type=exec
User=${user}
ExecStart=${command}
Restart=on-failure
RestartSec=2
# The agent ends its tasks itself; remaining processes are then ended by systemd.
KillMode=mixed
TimeoutStopSec=10
# Each task has hundreds of files open: threads, sockets, libraries.
LimitNOFILE=65536
# Rules of the firewall are then changed by hand: a service cannot ask for a password.
NoNewPrivileges=yes
ProtectSystem=full
ProtectKernelLogs=yes
ProtectControlGroups=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
# Not set, because they take GPUs away from tasks: PrivateDevices, DevicePolicy, ProtectClock (it allows the clock's
# device and with that no other), MemoryDenyWriteExecute (CUDA and WebGPU compile at run time).

[Install]
WantedBy=multi-user.target
`;
}

/**
 * The commands that install the unit, as comments before it.
 *
 * @param words of the command that prints the unit.
 */
export function installCommands(words: readonly string[]): string {
  const unitCommand = shellCommand(words);
  return `# Install it, and start it now and with the machine:
#   ${unitCommand} | sudo tee /etc/systemd/system/tensordeck.service
#   sudo systemctl daemon-reload
#   sudo systemctl enable --now tensordeck
# Its state:
#   systemctl status tensordeck
# Its output, including the codes of pairings:
#   journalctl -u tensordeck -f
# Stop it and remove it:
#   sudo systemctl disable --now tensordeck
#   sudo rm /etc/systemd/system/tensordeck.service
`;
}

/** Quoted as systemd parses words: in double quotes, with its own specifiers and variables taken literally. */
function quoted(word: string): string {
  const literal = word.replace(/[\\"]/g, "\\$&").replaceAll("%", "%%").replaceAll("$", "$$$$");
  return /^[\w./:=@%-]+$/.test(word) ? literal : `"${literal}"`;
}
