import { z } from "zod";
import { firewallScopeSchema, firewallWizardSchema, openFirewallSchema } from "./firewall.js";
import { method, nothing } from "./method.js";
import { reachabilitySchema, throughputRequestSchema, throughputSchema } from "./reachability.js";

export const networkMethods = {
  "reachability.get": method(nothing, reachabilitySchema),
  /** Tests every route; results come as `reachability` events. */
  "reachability.check": method(nothing, nothing),
  "reachability.measureThroughput": method(throughputRequestSchema, throughputSchema),

  "firewall.get": method(nothing, firewallWizardSchema.optional()),
  /** Opens the wizard; tests and facts come as `firewall` events. */
  "firewall.open": method(openFirewallSchema, nothing),
  "firewall.configure": method(
    z.object({ scope: firewallScopeSchema, removeBlockRules: z.boolean() }),
    nothing,
  ),
  "firewall.goTo": method(z.object({ step: z.enum(["blocked", "change"]) }), nothing),
  /** Tests again, in whatever step it is. */
  "firewall.test": method(nothing, nothing),
  /** Requests the rights and changes the rules according to the plan. */
  "firewall.apply": method(nothing, nothing),
  "firewall.undo": method(nothing, nothing),
  "firewall.close": method(nothing, nothing),
} as const;

export const networkEvents = {
  reachability: reachabilitySchema,
  firewall: firewallWizardSchema.optional(),
} as const;
