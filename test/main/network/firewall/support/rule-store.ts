/** Stand-ins for the cmdlets of Windows' firewall, on rules in memory, which can be made to fail at any call. */
import { type Cmdlet, CmdletError, type PsObject, type PsValue } from "./powershell-interpreter.js";

/** As `Get-NetFirewallRule` gives it. Program is that of its application filter. */
export interface StoredRule extends PsObject {
  readonly Name: string;
  readonly Group: string;
  readonly Action: string;
  readonly Direction: string;
  readonly Enabled: "True" | "False";
  readonly Program: string;
}

/** The machine went off while a script ran. */
export class PowerFailure extends Error {}

export class RuleStore {
  readonly rules = new Map<string, StoredRule>();
  /** The calls of cmdlets so far, by name. */
  readonly calls: string[] = [];

  /** @param beforeCall Called with the number of each call, from 1; it throws for a call that fails. */
  constructor(
    rules: readonly StoredRule[],
    readonly beforeCall: (call: number) => void = () => undefined,
  ) {
    for (const rule of rules) this.rules.set(rule.Name, rule);
  }

  /** All rules, by name. */
  get state(): StoredRule[] {
    return [...this.rules.values()].toSorted((a, b) => (a.Name < b.Name ? -1 : 1));
  }

  /** The rules that decide what gets in. */
  get inForce(): StoredRule[] {
    return this.state.filter(({ Enabled }) => Enabled === "True");
  }

  readonly cmdlets: Readonly<Record<string, Cmdlet>> = {
    "Get-NetFirewallRule": this.#counted("Get-NetFirewallRule", (parameters, input) => [
      this.#named(parameters, input),
    ]),
    "Get-NetFirewallApplicationFilter": this.#counted("Get-NetFirewallApplicationFilter", () =>
      // A filter has the key of its rule, by which the pipeline finds it.
      this.state.map(({ Name, Program }) => ({ Name, Program })),
    ),
    "New-NetFirewallRule": this.#counted("New-NetFirewallRule", (parameters) => {
      const name = text(parameters.get("Name"));
      this.#refuseTaken(name);
      const given = Object.fromEntries([...parameters].map(([key, value]) => [key, value]));
      const rule = { Group: "", Program: "Any", ...given, Name: name, Enabled: "True" } as StoredRule;
      this.rules.set(name, rule);
      return [rule];
    }),
    "Rename-NetFirewallRule": this.#counted("Rename-NetFirewallRule", (parameters, input) => {
      const rule = this.#named(parameters, input);
      const name = text(parameters.get("NewName"));
      this.#refuseTaken(name);
      this.rules.delete(rule.Name);
      this.rules.set(name, { ...rule, Name: name });
      return [];
    }),
    "Remove-NetFirewallRule": this.#counted("Remove-NetFirewallRule", (parameters, input) => {
      this.rules.delete(this.#named(parameters, input).Name);
      return [];
    }),
    "Enable-NetFirewallRule": this.#counted("Enable-NetFirewallRule", this.#setEnabled("True")),
    "Disable-NetFirewallRule": this.#counted("Disable-NetFirewallRule", this.#setEnabled("False")),
  };

  #counted(name: string, cmdlet: Cmdlet): Cmdlet {
    return (parameters, input) => {
      this.calls.push(name);
      this.beforeCall(this.calls.length);
      return cmdlet(parameters, input);
    };
  }

  #setEnabled(enabled: StoredRule["Enabled"]): Cmdlet {
    return (parameters, input) => {
      const rule = this.#named(parameters, input);
      this.rules.set(rule.Name, { ...rule, Enabled: enabled });
      return [];
    };
  }

  /** @throws CmdletError as the cmdlets do where no rule has the name. */
  #named(parameters: ReadonlyMap<string, PsValue>, input: PsValue): StoredRule {
    const isObject = typeof input === "object" && "Name" in input;
    const name = text(isObject ? input.Name : parameters.get("Name"));
    const rule = this.rules.get(name);
    if (!rule)
      throw new CmdletError(
        `No MSFT_NetFirewallRule objects found with property 'InstanceID' equal to '${name}'.`,
        "CmdletizationQuery_NotFound_InstanceID,Get-NetFirewallRule",
      );
    return rule;
  }

  #refuseTaken(name: string): void {
    if (this.rules.has(name))
      throw new CmdletError(
        "Cannot create a file when that file already exists.",
        "Windows System Error 183",
      );
  }
}

function text(value: PsValue): string {
  if (typeof value !== "string") throw new Error(`A rule's name is no text: ${JSON.stringify(value)}`);
  return value;
}
