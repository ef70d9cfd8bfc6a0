/** Why no connection opens. */
import type { LayerResult } from "../../../api/reachability.js";
import { portOf } from "../hosts.js";
import { evidenceText, machinesMeet } from "./evidence.js";
import type { Explanation, RouteFacts, RouteTask } from "./route-facts.js";
import { unreached } from "./unreached.js";

export function explainTcp(facts: RouteFacts, failure: LayerResult): Explanation {
  if (facts.via === "tunnel") return tunnelClosed(facts, failure);
  if (facts.task?.isolated) return closedOnPurpose(facts, failure);
  switch (failure.cause) {
    case "timed-out":
      return silence(facts, failure);
    case "refused":
      return refusal(facts, failure);
    case "prohibited":
      return firewall(facts, failure, "rejects", true);
    case "host-unreachable":
      // A machine that answers on other ports is online: firewalls that reject answer like a router that cannot find
      // the host.
      return machinesMeet(facts) ? firewall(facts, failure, "rejects", true) : nobodyThere(facts, failure);
    case "no-route":
      return noRoute(facts, failure);
    case "blocked-here":
      return blockedHere(facts, failure);
    default:
      return other(facts, failure);
  }
}

function silence(facts: RouteFacts, failure: LayerResult): Explanation {
  const { to, task } = facts;
  if (isDown(facts)) {
    return unreached(facts, failure, `${subject(facts)}: ${down(task)}`, {
      reason: `Besides, ${to.name} hides closed ports, so its firewall may also be in the way.`,
      remedy: startIt(facts),
    });
  }
  if (facts.firewall && !facts.firewall.active && facts.listening) {
    return unreached(facts, failure, `${subject(facts)}: something between the two machines drops it`, {
      reason: `${facts.firewall.name} on ${to.name} blocks nothing now, and ${evidenceText(facts)}.`,
      remedy:
        "Look for a router, a guest network or Wi-Fi isolation between them; both must be on the same network.",
    });
  }
  if (machinesMeet(facts)) return firewall(facts, failure, "drops", facts.listening === true);
  if (facts.listening || (facts.othersReach ?? []).length > 0) {
    return {
      ...unreached(facts, failure, `${facts.from.name} gets no answer at all from ${to.name}`, {
        reason: `${to.name}'s firewall probably drops everything from ${facts.from.name}, or the two are on networks that are not connected: ${evidenceText(facts)}.`,
        remedy: `Check that both are on the same network. ${openIt(facts)}`,
      }),
      ...mendable(facts),
    };
  }
  return unreached(facts, failure, `${to.name} does not answer ${facts.from.name}`, {
    reason: "It is probably off, asleep or on another network, or a firewall drops everything.",
    remedy: `Check that ${to.name} is on and that the address ${facts.address} is right.`,
  });
}

function refusal(facts: RouteFacts, failure: LayerResult): Explanation {
  const { from, to, task, kind } = facts;
  const port = portText(facts);
  if (facts.listening && from.id !== to.id) {
    const others = (facts.othersReach ?? []).length > 0;
    if (others || facts.firewall?.active) return firewall(facts, failure, "rejects", others);
    if (!facts.firewall) return firewall(facts, failure, "rejects", false);
  }
  if (facts.listening) {
    return unreached(facts, failure, `${to.name} refuses connections to ${facts.address}`, {
      reason: `${kind === "agent" ? "The agent" : (task?.name ?? "The task")} listens, but probably only on another address of ${to.name}.`,
      remedy: "Restart it to make it listen on every address.",
    });
  }
  if (task?.state === "starting") {
    return unreached(facts, failure, `${task.name} is still starting and does not listen on ${port} yet`, {
      remedy: "Wait until it runs.",
    });
  }
  if (isDown(facts)) {
    return unreached(facts, failure, `${from.name} reaches ${to.name}, but ${down(task)}`, {
      reason: `Nothing listens on ${port}.`,
      remedy: startIt(facts),
    });
  }
  const nothing =
    from.id === to.id
      ? `Nothing listens on ${port} of ${to.name}`
      : `${from.name} reaches ${to.name}, but nothing listens on ${port}`;
  return unreached(facts, failure, nothing, {
    reason:
      kind === "agent"
        ? "Tensordeck does not run there, or its agent uses another port."
        : `${task ? `${task.name} does not run` : "No task runs there"}, or uses another port.`,
    remedy: kind === "agent" ? `Start Tensordeck on ${to.name}.` : startIt(facts),
  });
}

/** @param sure True if nothing else can be the cause. */
function firewall(
  facts: RouteFacts,
  failure: LayerResult,
  does: "drops" | "rejects",
  sure: boolean,
): Explanation {
  const { to } = facts;
  const evidence = evidenceText(facts);
  const name = facts.firewall?.active ? ` (${facts.firewall.name})` : "";
  const what = does === "drops" ? "drops it" : "rejects it";
  return {
    ...unreached(
      facts,
      failure,
      `${subject(facts)}: ${sure ? "" : "probably "}${to.name}'s firewall${name} ${what}`,
      {
        reason:
          evidence === ""
            ? undefined
            : sure
              ? `The machine is there: ${evidence}.`
              : `Probably, since ${evidence}.`,
        remedy: openIt(facts),
      },
    ),
    ...mendable(facts),
  };
}

function nobodyThere(facts: RouteFacts, failure: LayerResult): Explanation {
  const { from, to } = facts;
  return unreached(facts, failure, `${from.name} finds no machine at the address of ${to.name}`, {
    reason: `${to.name} is off, asleep, or now has another address.`,
    remedy: `Check that ${to.name} is on and that the address ${facts.address} is right.`,
  });
}

function noRoute(facts: RouteFacts, failure: LayerResult): Explanation {
  const { from, to } = facts;
  return unreached(facts, failure, `${from.name} has no way to the network of ${to.name}`, {
    reason: `The two machines are on different networks, or ${from.name} lacks an address of the kind (IPv4 or IPv6) of ${facts.address}.`,
    remedy: "Connect both to the same network, or use another address of the machine.",
  });
}

function blockedHere(facts: RouteFacts, failure: LayerResult): Explanation {
  const { from, to } = facts;
  return unreached(facts, failure, `${from.name} itself forbids connections to ${facts.address}`, {
    reason: `A rule of ${from.name}'s own firewall blocks outgoing connections.`,
    remedy: `Allow outgoing TCP connections to ${to.name} on ${from.name}.`,
  });
}

function other(facts: RouteFacts, failure: LayerResult): Explanation {
  const { from, to } = facts;
  const reset = failure.cause === "reset";
  return unreached(facts, failure, `${from.name} cannot connect to ${facts.address}`, {
    reason: reset
      ? `A firewall between ${from.name} and ${to.name} probably ends the connection.`
      : (failure.detail ?? "The system does not say why."),
    remedy: `Check the network between the two and the firewall of ${to.name}.`,
  });
}

function tunnelClosed(facts: RouteFacts, failure: LayerResult): Explanation {
  const { from, to, task } = facts;
  const name = task?.name ?? `a task of ${to.name}`;
  return unreached(facts, failure, `${from.name}'s end of the tunnel to ${name} is not open`, {
    reason:
      failure.cause === "refused"
        ? `Nothing listens on ${portText(facts)} of ${from.name}: the port was taken by another program, or the agent there learned of the task only now.`
        : undefined,
    remedy: `Test again; restart ${name} if that does not help, which gives it another port if this one is taken.`,
  });
}

function closedOnPurpose(facts: RouteFacts, failure: LayerResult): Explanation {
  const { task } = facts;
  return unreached(
    facts,
    failure,
    `${portText(facts)} of ${facts.to.name} is closed to other machines on purpose`,
    {
      reason: `The cluster is secure: ${task?.name ?? "the task"} is reached through its tunnel only.`,
      remedy: "Use the task through Tensordeck or on a paired machine, or open the cluster.",
    },
  );
}

/** The symptom seen from outside, without its cause. */
function subject(facts: RouteFacts): string {
  const { from, to } = facts;
  return machinesMeet(facts)
    ? `${from.name} reaches ${to.name}, but ${portText(facts)} does not answer`
    : `${from.name} gets no answer from ${facts.address}`;
}

function portText({ address }: RouteFacts): string {
  const port = portOf(address);
  return port === undefined ? address : `port ${port}`;
}

/** "worker/0 is stopped" */
function down(task: RouteTask | undefined): string {
  return `${task?.name ?? "the task"} ${task?.state === "failed" ? "has failed" : `is ${task?.state ?? "down"}`}`;
}

/** Whether the machine itself reports that the task does not run. */
function isDown({ task }: RouteFacts): boolean {
  return task?.state === "stopped" || task?.state === "failed" || task?.state === "stopping";
}

function startIt({ task, to }: RouteFacts): string {
  return task
    ? `Start ${task.name} on ${to.name}, or correct its port.`
    : `Start the task on ${to.name}, or correct the port.`;
}

function openIt(facts: RouteFacts): string {
  const rule = `Let TCP ${portText(facts)} in on ${facts.to.name}`;
  if (facts.wizard) return `${rule}; the firewall wizard shows the rule, adds it and can undo it.`;
  const port = portOf(facts.address) ?? "PORT";
  const there = facts.away
    ? `. That can only be done there, by "Check its firewall…" in the menu of the machine or by hand: `
    : ": ";
  return (
    `${rule}${there}\`sudo ufw allow ${port}/tcp\` with ufw, \`sudo firewall-cmd --add-port=${port}/tcp\` with firewalld, ` +
    "an inbound rule for the private profile on Windows."
  );
}

function mendable({ wizard, to }: RouteFacts): Pick<Explanation, "firewallOf"> {
  return wizard ? { firewallOf: to.id } : {};
}
