/** A connection opens, but no TensorFlow server answers on it. */
import type { LayerResult } from "../../../api/reachability.js";
import type { Explanation, RouteFacts } from "./route-facts.js";
import { unreached } from "./unreached.js";

export function explainTask(facts: RouteFacts, failure: LayerResult): Explanation {
  if (facts.via === "tunnel" && (failure.cause === "closed" || failure.cause === "reset")) {
    return tunnelEndsInNothing(facts, failure);
  }
  switch (failure.cause) {
    case "http1":
      return proxy(facts, failure);
    case "timed-out":
      return hangs(facts, failure);
    case "tls":
      return unreached(
        facts,
        failure,
        `What answers at ${facts.address} speaks TLS, and TensorFlow does not`,
        {
          reason: "It is probably another program, such as a web server or Tensordeck's own agent.",
          remedy: "Correct the port, or end that program.",
        },
      );
    case "not-tensorflow":
      return unreached(facts, failure, `What answers at ${facts.address} is not a TensorFlow server`, {
        reason: "It speaks HTTP/2, but does not know GetStatus: another gRPC service listens there.",
        remedy: "Correct the port, or end that program and start the task again.",
      });
    case "closed":
    case "reset":
      return closes(facts, failure);
    default:
      return unreached(facts, failure, `A program other than TensorFlow answers at ${facts.address}`, {
        reason: "What it sends is neither HTTP/2 nor TLS.",
        remedy: "Correct the port, or end that program.",
      });
  }
}

function proxy(facts: RouteFacts, failure: LayerResult): Explanation {
  const { from, to, task, listening } = facts;
  return unreached(
    facts,
    failure,
    `A proxy or another program answers ${from.name} in place of ${task?.name ?? facts.address}`,
    {
      reason: listening
        ? `${to.name} says that the task listens there, yet the answer came in HTTP/1: probably a proxy between the two took the connection.`
        : "The answer came in HTTP/1, which no TensorFlow server speaks.",
      remedy: listening
        ? `Let ${from.name} reach ${to.name} without the proxy.`
        : "Correct the port, or end the program that listens there.",
    },
  );
}

function hangs(facts: RouteFacts, failure: LayerResult): Explanation {
  const { to, task } = facts;
  const name = task?.name ?? `what listens at ${facts.address}`;
  return unreached(facts, failure, `${name} accepts connections, but does not answer`, {
    reason:
      task?.state === "running"
        ? `Its own machine ${to.name} does get answers, so something between the two probably drops the data, such as a firewall that inspects it or a wrong packet size (MTU).`
        : failure.layer === "status"
          ? "Its process hangs, is paused, or is kept busy by a step that never ends."
          : "Its process hangs or is paused, or it is not a TensorFlow server at all.",
    remedy:
      task?.state === "running"
        ? `Check the network between ${facts.from.name} and ${to.name}.`
        : "Look at its log and restart it.",
  });
}

function closes(facts: RouteFacts, failure: LayerResult): Explanation {
  const name = facts.task?.name ?? `what listens at ${facts.address}`;
  return unreached(facts, failure, `${name} ends the connection at once`, {
    reason: "It is probably about to end, or a program other than TensorFlow listens there.",
    remedy: "Test again in a moment; look at its log if that does not help.",
  });
}

function tunnelEndsInNothing(facts: RouteFacts, failure: LayerResult): Explanation {
  const { from, to, task } = facts;
  const name = task?.name ?? "the task";
  const down = task?.state !== undefined && task.state !== "running" && task.state !== "unresponsive";
  return unreached(facts, failure, `The tunnel from ${from.name} to ${name} leads nowhere`, {
    reason: down
      ? `${name} is ${task?.state}.`
      : `Probably ${from.name} cannot reach the agent of ${to.name}, or is not admitted to the task.`,
    remedy: down
      ? `Start ${name}.`
      : `Look at the route from ${from.name} to the agent of ${to.name}, and test again.`,
  });
}
