import type { TaskState } from "../../../api/cluster.js";
import type { FirewallFacts } from "../../../api/firewall.js";
import type { Problem } from "../../../api/problem.js";
import type { LayerResult } from "../../../api/reachability.js";

export interface RouteEnd {
  /** Machine id. */
  readonly id: string;
  readonly name: string;
}

/** The task behind an address, as its own machine knows it. */
export interface RouteTask {
  /** "worker/0" */
  readonly name: string;
  /** Absent where no machine of ours runs it. */
  readonly state?: TaskState;
  /** Its raw port is closed to everything outside of its machine, on purpose. */
  readonly isolated?: boolean;
}

/** One route and everything that helps to say why it fails. What is not known is left out. */
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
  /** Whether something listens on the port, by the word of the machine that is dialled. */
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
  /** The dialled machine does not answer as Tensordeck does: only on it itself can something be done. */
  readonly away?: boolean;
  /** Device ID that the agent is known by. */
  readonly deviceId?: string;
  /** Other hosts by which the dialled machine may be reached. */
  readonly otherHosts?: readonly string[];
}

export interface Explanation {
  readonly problem: Problem;
  /** Id of the machine whose firewall would have to be changed, and which the wizard can do. */
  readonly firewallOf?: string;
}
