import { describe, expect, test } from "vitest";
import type { ClusterState, Machine } from "../../../../main/api/cluster.js";
import { planRoutes } from "../../../../main/network/reachability/plan.js";
import { machine, task } from "./support/situations.js";

const everybody = () => true;
const plan = (
  machines: Machine[],
  access: ClusterState["access"] = "open",
  canDial: (id: string) => boolean = everybody,
) =>
  planRoutes({ machines, access }, canDial).map(
    ({ from, to, kind, via, addresses }) => `${from.name} → ${to.name} ${kind} ${via} ${addresses.join(" ")}`,
  );

describe("the routes that are tested", () => {
  test("go both ways between all machines that are online, to agents and tasks, and to agents of paired ones that do not answer", () => {
    const machines = [
      machine("gpu-pc", [task("worker/0")], { kind: "this" }),
      machine("raspberrypi", [], { addresses: ["192.168.1.31", "fd00::31"] }),
      machine("macbook", [task("worker/1")], { presence: "offline", addresses: ["192.168.1.40"] }),
      machine("unpaired", [], { kind: "discovered" }),
    ];
    expect(plan(machines)).toEqual([
      "gpu-pc → raspberrypi agent direct 192.168.1.31:2220 [fd00::31]:2220",
      "raspberrypi → gpu-pc agent direct 192.168.1.20:2220",
      "gpu-pc → macbook agent direct 192.168.1.40:2220",
      "raspberrypi → macbook agent direct 192.168.1.40:2220",
      "raspberrypi → gpu-pc task direct gpu-pc:2222",
    ]);
  });

  test("are the tunnels' near ends in a secure cluster", () => {
    const machines = [
      machine("gpu-pc", [task("worker/0", { address: "127.0.0.1:2222" })]),
      machine("raspberrypi"),
    ];
    expect(plan(machines, "secure")).toContain("raspberrypi → gpu-pc task tunnel 127.0.0.1:2222");
    expect(plan(machines, "open")).toContain("raspberrypi → gpu-pc task direct 127.0.0.1:2222");
  });

  test("begin at no machine that cannot be asked, nor at foreign servers", () => {
    const machines = [
      machine("gpu-pc", [], { kind: "this" }),
      machine("raspberrypi"),
      machine("server", [task("worker/0", { foreign: true, address: "server:2222" })], { kind: "foreign" }),
    ];
    expect(plan(machines, "open", (id) => id !== "raspberrypi")).toEqual([
      "gpu-pc → raspberrypi agent direct 192.168.1.20:2220",
      "gpu-pc → server task direct server:2222",
    ]);
  });

  test("leave out tasks that are not up", () => {
    const tasks = [
      task("worker/0", { state: "stopped" }),
      task("worker/1", { state: "starting" }),
      task("ps/0", { address: "" }),
    ];
    expect(
      plan([machine("gpu-pc", tasks), machine("raspberrypi")]).filter((text) => text.includes(" task ")),
    ).toEqual([]);
  });

  test("are one task for each pair of machines where there are very many", () => {
    const machines = Array.from({ length: 64 }, (_, i) =>
      machine(
        `m${i}`,
        [0, 1, 2, 3].map((n) => task(`worker/${4 * i + n}`, { address: `m${i}:${2222 + n}` })),
      ),
    );
    expect(plan(machines)).toHaveLength(2 * 64 * 63);
  });
});
