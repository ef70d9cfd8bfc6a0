import { z } from "zod";
import { problemSchema } from "./problem.js";

/** Who may connect after the change: everyone on the local network, or one machine. */
export const firewallScopeSchema = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("subnet") }),
  z.object({ kind: z.literal("peer"), address: z.string().min(1).max(64) }),
]);
export type FirewallScope = z.infer<typeof firewallScopeSchema>;

/** Something that was tested, and the result. */
export const proofSchema = z.object({
  /** "raspberrypi → gpu-pc:2222" */
  what: z.string(),
  outcome: z.enum(["ok", "failed", "unknown"]),
  /** "timed out after 3.0 s, 3 of 3 tries" */
  detail: z.string(),
});
export type Proof = z.infer<typeof proofSchema>;

/** The active firewall of a machine, as detected. */
export const firewallFactsSchema = z.object({
  tool: z.enum(["windows", "macos", "ufw", "firewalld", "nftables", "iptables", "none"]),
  /** "Windows Defender Firewall", "ufw 0.36.2" */
  name: z.string(),
  /** False: installed, but it blocks nothing now. The wizard never switches a firewall on. */
  active: z.boolean(),
  /** Network adapters and their profile or zone: "Ethernet", "Private". */
  adapters: z.array(z.object({ name: z.string(), profile: z.string(), address: z.string() })),
  /** Rules that block the program regardless of others, as Windows creates them when a prompt is declined. */
  blockRules: z.array(z.object({ id: z.string(), name: z.string(), program: z.string() })),
  /** Existing rules of Tensordeck. */
  ownRules: z.array(z.string()),
  problem: problemSchema.optional(),
});
export type FirewallFacts = z.infer<typeof firewallFactsSchema>;

export const firewallRuleSchema = z.object({
  name: z.string(),
  /** "TCP", "UDP", "ICMP echo" */
  protocol: z.string(),
  /** "2220, 2222–2225"; empty for ICMP. */
  ports: z.string(),
  /** "192.168.1.0/24", "LocalSubnet", "192.168.1.31" */
  from: z.string(),
  /** "Private" on Windows, the zone of firewalld; empty elsewhere. */
  profile: z.string(),
  /** The purpose of the rule, in words. */
  purpose: z.string(),
});
export type FirewallRule = z.infer<typeof firewallRuleSchema>;

/** Exactly what will change. */
export const firewallPlanSchema = z.object({
  rules: z.array(firewallRuleSchema),
  /** Names of Block rules that would be removed; only with consent. */
  removals: z.array(z.string()),
  /** The whole text that is run with an administrator's rights. */
  script: z.string(),
  undoScript: z.string(),
  /**
   * How administrator rights are requested: a UAC prompt, pkexec's dialog, macOS's dialog (osascript), none because
   * they are held already, or by hand.
   */
  elevation: z.enum(["uac", "pkexec", "osascript", "none", "by-hand"]),
  /** One line to paste into a terminal where the rights cannot be requested. */
  command: z.string(),
  /** "Public profile stays closed.", "Task ports have no password." */
  notes: z.array(z.object({ kind: z.enum(["ok", "warning"]), text: z.string() })),
});
export type FirewallPlan = z.infer<typeof firewallPlanSchema>;

/**
 * applied: the rules are in place. already: they were in place before. declined: the user declined the prompt. failed:
 * the script failed. by-hand: waits for the user to run the command.
 */
export const firewallApplySchema = z.object({
  state: z.enum(["waiting", "applied", "already", "declined", "failed", "by-hand", "undone"]),
  /** Milliseconds since the epoch. */
  since: z.number(),
  /** With by-hand: the one line to paste into a terminal. */
  command: z.string().optional(),
  problem: problemSchema.optional(),
});
export type FirewallApply = z.infer<typeof firewallApplySchema>;

/** The wizard as a whole; the application owns it, windows show it. */
export const firewallWizardSchema = z.object({
  /** The machine whose firewall is concerned. */
  machine: z.object({ id: z.string(), name: z.string() }),
  /** The machine that cannot connect; absent when the wizard was opened without one. */
  peer: z.object({ id: z.string(), name: z.string(), address: z.string() }).optional(),
  ports: z.array(z.number().int()),
  scope: firewallScopeSchema,
  /** Whether Block rules are removed as well. */
  removeBlockRules: z.boolean(),
  step: z.enum(["blocked", "change", "apply", "verify"]),
  /** True while something is being tested, planned or applied. */
  busy: z.boolean(),
  /** "gpu-pc's firewall drops the connection" */
  headline: z.string(),
  explanation: z.string(),
  proof: z.array(proofSchema),
  facts: firewallFactsSchema.optional(),
  plan: firewallPlanSchema.optional(),
  apply: firewallApplySchema.optional(),
  verification: z.array(proofSchema),
  problem: problemSchema.optional(),
});
export type FirewallWizard = z.infer<typeof firewallWizardSchema>;

export const openFirewallSchema = z.object({
  machineId: z.string(),
  peerId: z.string().optional(),
  /** Left out: the agent's port and those of the machine's tasks. */
  ports: z.array(z.number().int().min(1).max(65_535)).max(64).optional(),
});
