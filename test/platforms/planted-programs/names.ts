/**
 * The names of all programs that Tensordeck starts on any system, of those that these start, and of others that lie about on
 * every machine. The test of this list (planted-programs.test.ts) reads the sources.
 */
export const PLANTED_PROGRAMS: readonly string[] = [
  ...["cat", "env", "false", "id", "node", "npm", "npx", "sh", "stat", "sudo", "true", "which"],
  ...["firewall-cmd", "ip", "ip6tables", "ip6tables-legacy", "ip6tables-nft"],
  ...["iptables", "iptables-legacy", "iptables-nft", "ldconfig", "ldd", "lsof", "nft", "nsenter", "pkexec"],
  ...["launchctl", "ps", "ping", "ping6", "sw_vers", "system_profiler", "systemctl", "ufw", "unshare"],
  ...["xdg-open", "uname"],
  ...["cmd", "conhost", "icacls", "ipconfig", "netsh", "netstat", "powershell", "pwsh", "reg", "schtasks"],
  ...["taskkill", "tasklist", "whoami", "wsl"],
  ...["docker", "git", "kubectl", "nvidia-smi", "pip", "py", "python", "python3", "tar", "uv"],
  // Those that the test's kubeconfig names. No machine has them: a real one would ask for a token.
  ...["tensordeck-test-refresh", "tensordeck-test-sign-in"],
];

/** Modules that Python would take from its working folder, in place of its own or of an installed package. */
export const PLANTED_MODULES: readonly string[] = [
  "ensurepip",
  "json",
  "pip",
  "tensorflow",
  "venv",
  "zipfile",
];
