/** Problems that the environment variables of a machine cause for connections. */
import { isLoopback } from "../../../../worker-runtime/cluster/host.js";
import { listText } from "../explain/evidence.js";
import { hostOf } from "../hosts.js";
import { isExempt } from "../proxies.js";
import { finding, type Rule } from "./diagnosis.js";
import { machineName, placedTasks } from "./situation.js";

export const proxyVariables: Rule = (situation) => {
  const hosts = [
    ...new Set([
      ...placedTasks(situation).map(({ task }) => hostOf(task.address)),
      ...situation.machines
        .filter(({ kind }) => kind !== "this")
        .flatMap(({ addresses }) => addresses.slice(0, 1)),
    ]),
  ].filter((host) => host !== "");
  return (situation.proxies ?? []).flatMap(({ machineId, variables, noProxy }) => {
    const names = Object.keys(variables);
    if (names.length === 0) return [];
    const caught = hosts.filter((host) => !isExempt(host, noProxy));
    const machine = machineName(situation, machineId);
    const own = "Tensordeck's own connections and tasks use no proxy.";
    return [
      finding(
        caught.length === 0 ? "info" : "warning",
        {
          message: `${listText(names)} ${names.length === 1 ? "is" : "are"} set on ${machine}.`,
          reason:
            caught.length === 0
              ? `no_proxy exempts every machine of the cluster. ${own}`
              : `TensorFlow in a script that you start there sends its calls to the proxy, which cannot carry them: ${listText(caught.slice(0, 4))} ${caught.length === 1 ? "is" : "are"} not exempt${caught.some(isLoopback) ? ", not even this machine itself" : ""}. ${own}`,
          remedy:
            caught.length === 0
              ? "If a script hangs nevertheless, start it without these variables: TensorFlow does not always heed no_proxy."
              : `Start scripts without them: env ${names.map((name) => `-u ${name}`).join(" ")} python3 …`,
          details: Object.entries(variables)
            .map(([name, value]) => `${name}=${value}`)
            .concat(noProxy.length === 0 ? [] : [`no_proxy=${noProxy.join(",")}`])
            .join("\n"),
        },
        { machineId },
      ),
    ];
  });
};
