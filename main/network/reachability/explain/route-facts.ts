import type { TaskState } from "../../../api/cluster.js";
import type { FirewallFacts } from "../../../api/firewall.js";
import type { Problem } from "../../../api/problem.js";
import type { LayerResult } from "../../../api/reachability.js";

export interface RouteEnd {
  /** Machine id. */
  readonly id: string;
  readonly name: string;
}

/** The task behind an address, as reported by its own machine. */
export interface RouteTask {
  /** "worker/0" */
  readonly name: string;
  /** Absent if none of our machines runs it. */
  readonly state?: TaskState;
  /** Its raw port is closed to everything outside of its machine, on purpose. */
  readonly isolated?: boolean;
}

/** One route and everything that helps to explain why it fails. Unknown facts are left out. */
export interface RouteFacts {
  readonly from: RouteEnd;
  readonly to: RouteEnd;
  /** "gpu-pc:2222" */
  readonly address: string;
  readonly kind: "task" | "agent";
  /** tunnel: the address is a tunnel's end on the dialling machine itself. */
  readonly via: "direct" | "tunnel";
  readonly layers: readonly LayerResult[];
  readonly task?: RouteTask;
  /** Whether something listens on the port, as reported by the dialled machine. */
  readonly listening?: boolean;
  /** The dialled machine answered the dialling one on another port, such as its agent's. */
  readonly otherPortAnswers?: boolean;
  /** Names of further machines that do reach this very address. */
  readonly othersReach?: readonly string[];
  /** The dialled machine reaches the dialling one. */
  readonly reverseWorks?: boolean;
  /** The firewall of the dialled machine. */
  readonly firewall?: FirewallFacts;
  /** The firewall wizard can be used for the dialled machine. */
  readonly wizard?: boolean;
  /** The dialled machine does not run Tensordeck: it can only be fixed on that machine itself. */
  readonly away?: boolean;
  /** The agent's device ID. */
  readonly deviceId?: string;
  /** Other hosts by which the dialled machine may be reached. */
  readonly otherHosts?: readonly string[];
}

export interface Explanation {
  readonly problem: Problem;
  /** Id of the machine whose firewall would have to be changed, if the wizard can change it. */
  readonly firewallOf?: string;
}
