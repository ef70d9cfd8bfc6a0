/** Errors in the ClusterSpec itself. */
import { isIPv6 } from "node:net";
import { addressProblem } from "../../../../worker-runtime/cluster/address.js";
import { isLoopback } from "../../../../worker-runtime/cluster/host.js";
import { listText } from "../explain/evidence.js";
import { hostOf } from "../hosts.js";
import { addressesOfName } from "../layers/name.js";
import { finding, groupBy, type Rule } from "./diagnosis.js";
import { machineName, placedTasks } from "./situation.js";

export const localhostWithSeveralMachines: Rule = (situation) => {
  if (situation.access === "secure") return [];
  const tasks = placedTasks(situation);
  if (new Set(tasks.map(({ machine }) => machine.id)).size < 2) return [];
  return tasks
    .filter(({ task, machine }) => {
      const host = hostOf(task.address);
      // Two installations on one computer do share its loopback addresses.
      return task.address !== "" && isLoopback(host) && !machine.addresses.includes(host);
    })
    .map(({ task, machine, name }) =>
      finding(
        "error",
        {
          code: "INVALID_ARGUMENT",
          message: `${name} has the address ${task.address}, which means the local machine on every machine.`,
          reason: `The cluster spans several machines, and to the others ${task.address} is not ${machine.name}.`,
          remedy: `Give ${name} the name or address by which the others reach ${machine.name}. The server listens on every address in any case.`,
        },
        { machineId: machine.id, taskId: task.id, task: name },
      ),
    );
};

export const addressWithoutPort: Rule = (situation) =>
  placedTasks(situation).flatMap(({ task, machine, name }) => {
    const wrong = task.address === "" ? undefined : addressProblem(task.address);
    if (wrong === undefined) return [];
    return [
      finding(
        "error",
        {
          code: "INVALID_ARGUMENT",
          message: `The address '${task.address}' of ${name} ${wrong}.`,
          remedy: "Correct it in the cluster's table.",
        },
        { machineId: machine.id, taskId: task.id, task: name },
      ),
    ];
  });

export const twoTasksOnOneAddress: Rule = (situation) => {
  const addressed = placedTasks(situation).filter(({ task }) => task.address !== "");
  return [...groupBy(addressed, ({ task }) => task.address.toLowerCase())]
    .filter(([, sharing]) => sharing.length > 1)
    .map(([address, sharing]) =>
      finding(
        "error",
        {
          code: "INVALID_ARGUMENT",
          message: `${listText(sharing.map(({ name }) => name))} have the same address ${address}.`,
          reason: "Only one of them can listen there; the others cannot start, or are mistaken for it.",
          remedy: "Give each task its own port.",
        },
        { machineId: sharing[0]?.machine.id, taskId: sharing[1]?.task.id },
      ),
    );
};

export const indexGap: Rule = (situation) => {
  if (situation.membership !== "fixed") return [];
  return [...groupBy(placedTasks(situation), ({ task }) => task.job)].flatMap(([job, tasks]) => {
    const indices = tasks.map(({ task }) => task.index).sort((a, b) => a - b);
    const missing = Array.from({ length: (indices.at(-1) ?? -1) + 1 }, (_, index) => index).filter(
      (index) => !indices.includes(index),
    );
    if (missing.length === 0) return [];
    return [
      finding("warning", {
        message: `Job ${job} has no task ${listText(missing.slice(0, 5).map(String))}.`,
        reason:
          "Scripts that list the hosts of a job count from 0 without gaps, so the tasks after the gap get other numbers.",
        remedy: `Number the tasks of ${job} from 0.`,
      }),
    ];
  });
};

const JOB_NAME = /^[A-Za-z][A-Za-z0-9_]*$/;

export const badJobName: Rule = (situation) =>
  [...new Set(placedTasks(situation).map(({ task }) => task.job))]
    .filter((job) => !JOB_NAME.test(job))
    .map((job) =>
      finding("error", {
        code: "INVALID_ARGUMENT",
        message: `TensorFlow refuses the job name '${job}'.`,
        reason: "It must be a letter followed by letters, digits and underscores.",
        remedy: "Rename the job.",
      }),
    );

export const twoNamesForOneProcess: Rule = (situation) => {
  const known = placedTasks(situation).flatMap((placed) => {
    const incarnation = situation.incarnations?.get(placed.task.id);
    return incarnation === undefined || incarnation === "" ? [] : [{ ...placed, incarnation }];
  });
  return [...groupBy(known, ({ incarnation }) => incarnation).values()]
    .filter((same) => same.length > 1)
    .map((same) =>
      finding(
        "error",
        {
          code: "INVALID_ARGUMENT",
          message: `${listText(same.map(({ name, task }) => `${name} (${task.address})`))} are the same server.`,
          reason: "Their addresses lead to the same process: both report its incarnation.",
          remedy: "Correct the address of one of them.",
        },
        { machineId: same[0]?.machine.id, taskId: same[1]?.task.id },
      ),
    );
};

export const ipv6Only: Rule = ({ machines }) =>
  machines
    .filter(
      ({ kind, presence, addresses }) =>
        kind !== "this" && presence === "online" && addresses.length > 0 && addresses.every((a) => isIPv6(a)),
    )
    .map((machine) =>
      finding(
        "info",
        {
          message: `${machine.name} has IPv6 addresses only.`,
          reason:
            "Scripts that split an address at its colon, and programs that support only IPv4, fail with it.",
          remedy: `Write it in brackets, as in [${machine.addresses[0]}]:2222.`,
        },
        { machineId: machine.id },
      ),
    );

export const nameResolvesDifferently: Rule = (situation) => {
  const resolved = situation.routes
    .filter(({ via }) => via === "direct")
    .flatMap(({ from, to, address, layers }) => {
      const found = addressesOfName(layers);
      return found.length === 0 ? [] : [{ from, to, host: hostOf(address), found }];
    });
  return [...groupBy(resolved, ({ host }) => host)].flatMap(([host, answers]) => {
    const [first] = answers;
    const other = answers.find(({ found }) => !found.some((address) => first?.found.includes(address)));
    if (!first || !other) return [];
    const says = ({ from, found }: typeof first) =>
      `on ${machineName(situation, from)} to ${found.join(", ")}`;
    return [
      finding(
        "warning",
        {
          message: `The name ${host} leads to different machines.`,
          reason: `It leads ${says(first)}, but ${says(other)}.`,
          remedy: "Use a numeric address in the cluster, or correct the hosts file of one of them.",
        },
        { machineId: first.to },
      ),
    ];
  });
};
