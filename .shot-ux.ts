import { createServer } from "node:http";
import { writeFileSync } from "node:fs";
import { launchBrowser } from "./test/support/browser.js";
import { WindowPage } from "./test/e2e/support/window-page.js";
import { Installation } from "./test/net/support/installation.js";
import { Network } from "./test/net/support/network.js";

const names = (process.env.HOSTS ?? "gpu-pc,raspberrypi,macbook").split(",");
const port = Number(process.env.UXPORT ?? 7311);
const network = await Network.create(names.length, { names });
const inst: Record<string, Installation> = {};
const w: Record<string, WindowPage> = {};
const browser = await launchBrowser();
await Promise.all(names.map(async (n) => { inst[n] = await Installation.start(network.host(n)); }));
const openWindow = async (n: string, options = {}) => {
  w[n] = await WindowPage.open(browser, await inst[n]!.newLink(), options);
  w[n]!.page.setDefaultTimeout(6000);
  await w[n]!.ready();
};
await Promise.all(names.map((n) => openWindow(n)));
const shot = async (n: string, name: string) => { await w[n]!.page.screenshot({ path: `/tmp/ux/${name}.png` }); };
const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms));
const ctx = { network, inst, w, browser, openWindow, shot, sleep, Installation, WindowPage } as Record<string, unknown>;
const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
const server = createServer((req, res) => {
  let body = "";
  req.on("data", (c) => { body += c; });
  req.on("end", async () => {
    try {
      const f = new AsyncFunction(...Object.keys(ctx), "g", body);
      const r = await f(...Object.values(ctx), ctx);
      res.end(typeof r === "string" ? r : JSON.stringify(r, null, 1) ?? "ok");
    } catch (e) { res.end("ERROR " + String((e as Error).stack ?? e)); }
    res.write?.call;
    if (body.trim() === "/*quit*/") {
      await Promise.all(Object.values(w).map((x) => x.close().catch(() => {})));
      await Promise.all(Object.values(inst).map((x) => x.stop().catch(() => {})));
      await browser.close(); await network.dispose(); process.exit(0);
    }
  });
});
server.listen(port, "127.0.0.1", () => console.log("ready"));
