/** The hosts of tests in network namespaces: they are apart from this machine, reach each other, and go away. */
import { existsSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { peerMissing } from "../support/peers.js";
import { Network } from "./support/network.js";

/**
 * Has ping ask again and again for so many seconds, until it is answered: the kernel lets an interface work a moment after
 * the command that raised it has ended.
 */
const PATIENTLY = ["-i", "0.2", "-w", "20"];

describe.skipIf(peerMissing("namespaces"))("hosts in network namespaces", () => {
  let network: Network;
  beforeAll(async () => {
    network = await Network.create(3);
  });
  afterAll(() => network.dispose());

  test("reach each other by both kinds of address and by name, and have their own host names", async () => {
    const [one, two] = network.hosts;
    for (const target of [two?.address4, two?.address6, "host3", "host3.test"]) {
      await one?.run("ping", ["-c", "1", ...PATIENTLY, String(target)]);
    }
    expect(await two?.run("hostname")).toBe("host2\n");
  });

  test("see only their own interfaces", async () => {
    const seen = await network.host("host1").run("ls", ["/sys/class/net"]);
    expect(seen.split("\n").filter(Boolean)).toEqual(["eth0", "lo"]);
  });

  test("keep /etc and /run to themselves", async () => {
    const host = network.host("host1");
    await host.run("sh", ["-c", "echo here > /etc/of-host1; echo here > /run/of-host1"]);
    expect([existsSync("/etc/of-host1"), existsSync("/run/of-host1")]).toEqual([false, false]);
    expect((await network.host("host2").exec("cat", ["/etc/of-host1"])).code).not.toBe(0);
  });

  test("can have a bad connection, and a good one again", async () => {
    const [one, two, three] = network.hosts;
    const ping = async (target = "", count = 1) => {
      const args = ["-c", String(count), "-i", "0.01", "-W", "1", target];
      const { stdout } = (await one?.exec("ping", args)) ?? { stdout: "" };
      const lost = Number(/([\d.]+)% packet loss/.exec(stdout)?.[1]);
      const millis = Number(/= [\d.]+\/([\d.]+)\//.exec(stdout)?.[1]);
      return { lost, millis };
    };
    const delayMillis = 40;
    const roundTripMillis = 2 * delayMillis;
    await two?.setQuality({ lossPercent: 30, delayMillis });
    const bad = await ping(two?.address4, 100);
    expect(bad.lost).toBeGreaterThan(20);
    expect(bad.lost).toBeLessThan(80);
    expect(bad.millis).toBeGreaterThanOrEqual(roundTripMillis);
    expect((await ping(three?.address4)).millis).toBeLessThan(roundTripMillis);
    await two?.setQuality(undefined);
    const good = await ping(two?.address4, 20);
    expect(good.lost).toBe(0);
    expect(good.millis).toBeLessThan(roundTripMillis);
  });

  test("carry large transfers intact over a delayed connection", async () => {
    const [one, two] = network.hosts;
    await two?.setQuality({ lossPercent: 0, delayMillis: 2 });
    const script = `
      import hashlib, socket, sys
      server = socket.create_server(("0.0.0.0", 7000)); print("listening", flush=True)
      connection, _ = server.accept(); digest = hashlib.sha256()
      while data := connection.recv(1 << 16): digest.update(data)
      print("digest", digest.hexdigest())`.replace(/^ {6}/gm, "");
    const sink = await two?.spawn("python3", ["-c", script], { ready: /listening/ });
    const send = `
      import hashlib, os, socket
      data = os.urandom(4 << 20); socket.create_connection(("${two?.address4}", 7000)).sendall(data)
      print(hashlib.sha256(data).hexdigest())`.replace(/^ {6}/gm, "");
    const sent = await one?.run("python3", ["-c", send]);
    await sink?.waitForOutput(new RegExp(`digest ${sent?.trim()}`));
    await two?.setQuality(undefined);
  });

  test("lose and regain a cable, an interface and its addresses", async () => {
    const [one, two] = network.hosts;
    const reaches = async (address = "", patience: readonly string[] = PATIENTLY) =>
      (await one?.exec("ping", ["-c", "1", ...patience, address]))?.code === 0;
    const once = ["-W", "1"];
    await two?.setCable(false);
    expect(await reaches(two?.address4, once)).toBe(false);
    await two?.setCable(true);
    await two?.setLink(false);
    await two?.setLink(true);
    expect(await reaches(two?.address6)).toBe(true);
    await network.addSegment(1);
    await Promise.all([one?.connect(1), two?.connect(1)]);
    expect(await reaches(two?.address4On(1))).toBe(true);
    await two?.disconnect(1);
    expect(await reaches(two?.address4On(1), once)).toBe(false);
  });

  test("go away with every process on them", async () => {
    const other = await Network.create(1);
    const host = other.host("host1");
    const daemon = await host.run("sh", ["-c", "(setsid sleep 1000 > /dev/null 2>&1 & echo $!)"]);
    const peer = await host.spawn("sleep", ["1000"]);
    const running = (pid: number) =>
      existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
    expect(running(Number(daemon))).toBe(true);
    await other.dispose();
    expect(await peer.exited).toEqual({ code: null, signal: "SIGKILL" });
    expect([running(Number(daemon)), running(host.pid)]).toEqual([false, false]);
  });
});
