/** Measurements of each second cost what shows it, and nothing else. */
import type { Page } from "playwright-core";
import { afterAll, describe, expect } from "vitest";
import type { NumberedEvent } from "../../main/api/missed-events.js";
import { peerMissing } from "../support/peers.js";
import { ApiClient } from "./support/api-client.js";
import { startApp } from "./support/app.js";
import { closeBrowser, sharedBrowser, test } from "./support/fixtures.js";
import { WindowPage } from "./support/window-page.js";

afterAll(closeBrowser);

/** As many as ten idle seconds have. */
const SAMPLES = 10;

const named = (events: readonly NumberedEvent[], name: string) =>
  events.filter(({ event }) => event === name);

/** Starts tasks and waits until they run and are measured. Answers their ids. */
async function startTasks(api: ApiClient, count: number): Promise<string[]> {
  await api.call("cluster.addTasks", { job: "worker", count, engine: "portable" });
  const ids = (await api.runningTasks(count)).map(({ id }) => id);
  await api.next("samples", ({ tasks }) => ids.every((id) => id in tasks));
  return ids;
}

/** Everything that comes until so many samples came. */
async function heardUntil(api: ApiClient, samples: number): Promise<readonly NumberedEvent[]> {
  const heard: NumberedEvent[] = [];
  const stop = api.listen((event) => heard.push(event));
  await api.next("samples", () => named(heard, "samples").length >= samples);
  stop();
  return heard;
}

/**
 * Has React tell what it renders, as developers' tools do: the components that did anything in a commit, as what they have
 * in the page. Those of a commit are found by their flag, which stays until a fiber is worked on again: what was part of
 * the page before the commit did its work earlier.
 */
async function watchRenders(page: Page): Promise<void> {
  await page.addInitScript(() => {
    interface Fiber {
      readonly tag: number;
      readonly flags: number;
      readonly child: Fiber | null;
      readonly sibling: Fiber | null;
      readonly stateNode: unknown;
    }
    const PERFORMED_WORK = 1;
    const COMPONENTS = [0, 1, 11, 14, 15];
    const HOST_COMPONENT = 5;
    const HOST_TEXT = 6;
    const each = (first: Fiber | null, visit: (fiber: Fiber) => void) => {
      for (let fiber = first; fiber !== null; fiber = fiber.sibling) {
        visit(fiber);
        each(fiber.child, visit);
      }
    };
    const placeOf = (first: Fiber | null): Element | undefined => {
      for (let fiber = first; fiber !== null; fiber = fiber.sibling) {
        if (fiber.tag === HOST_COMPONENT) return fiber.stateNode as Element;
        if (fiber.tag === HOST_TEXT) return (fiber.stateNode as Text).parentElement ?? undefined;
        const inside = placeOf(fiber.child);
        if (inside) return inside;
      }
      return undefined;
    };
    const describePlace = (element: Element | undefined): string => {
      const isInRow = element?.parentElement?.closest("[role=treeitem]");
      const chart = element?.closest("svg[role=img]") ?? element?.querySelector("svg[role=img]");
      return isInRow && chart ? "sparkline" : (element?.outerHTML.slice(0, 150) ?? "nothing");
    };
    const rendered: string[] = [];
    let before = new WeakSet<Fiber>();
    Object.assign(window, {
      rendered,
      __REACT_DEVTOOLS_GLOBAL_HOOK__: {
        supportsFiber: true,
        inject: () => 1,
        onCommitFiberUnmount: () => undefined,
        onCommitFiberRoot: (_: number, { current }: { readonly current: Fiber }) => {
          const now = new WeakSet<Fiber>();
          each(current, (fiber) => {
            now.add(fiber);
            const isComponent = COMPONENTS.includes(fiber.tag);
            const worked = (fiber.flags & PERFORMED_WORK) !== 0 && !before.has(fiber);
            if (isComponent && worked) rendered.push(describePlace(placeOf(fiber.child)));
          });
          before = now;
        },
      },
    });
  });
}

/** The components that were rendered since this was asked last, each once. */
async function renderedIn(page: Page): Promise<string[]> {
  const rendered = await page.evaluate(() =>
    (window as unknown as { rendered: string[] }).rendered.splice(0),
  );
  return [...new Set(rendered)];
}

describe("an idle cluster", () => {
  test("sends samples and no state", async () => {
    const app = await startApp();
    try {
      const api = await ApiClient.connect(app.link);
      await startTasks(api, 2);
      const heard = await heardUntil(api, SAMPLES);
      expect(named(heard, "cluster")).toEqual([]);
      expect(named(heard, "samples")).toHaveLength(SAMPLES);
    } finally {
      await app.stop();
    }
  });

  test("tells a window that was away what it missed, as one that stayed heard it", async () => {
    const app = await startApp();
    try {
      const stayed = await ApiClient.connect(app.link);
      const [taskId = ""] = await startTasks(stayed, 1);
      const came = await ApiClient.connect(await app.newLink());
      const { last } = await came.call("events.missed");
      came.close();

      // Meanwhile states change more than once, and samples are made.
      const hearing = heardUntil(stayed, 3);
      await stayed.call("settings.set", { machineName: "one" });
      await stayed.call("settings.set", { machineName: "two" });
      await stayed.call("cluster.stopTask", { taskId });
      await stayed.call("cluster.startTask", { taskId });
      await stayed.runningTasks(1);
      const heard = (await hearing).filter(({ sequence }) => sequence > last.sequence);

      const back = await ApiClient.connect(await app.newLink());
      const missed = await back.call("events.missed", last);
      const samples = named(heard, "samples");
      expect(named(missed.events, "samples").slice(0, samples.length)).toEqual(samples);
      // The last one of a state that changed twice.
      expect(named(heard, "settings")).toHaveLength(2);
      expect(named(missed.events, "settings")).toEqual(named(heard, "settings").slice(1));
      expect(named(missed.events, "cluster")).toHaveLength(1);
      expect((await back.call("events.missed", missed.last)).events.map(({ event }) => event)).not.toContain(
        "cluster",
      );
    } finally {
      await app.stop();
    }
  });

  test.skipIf(peerMissing("chromium"))(
    "has the window draw its sparklines again, and no node, bar or row",
    async () => {
      const app = await startApp();
      try {
        const api = await ApiClient.connect(app.link);
        await startTasks(api, 2);
        const browser = await sharedBrowser();
        const window = await WindowPage.open(browser, "about:blank");
        await watchRenders(window.page);
        await window.page.goto(await app.newLink());
        await window.ready();
        await window.runButton.click();
        await window.dockTab("Timeline").click();
        await window.page.getByRole("img", { name: /^Timeline/ }).waitFor();
        // Changes that come with the end of the run and with the pointer settle.
        await heardUntil(api, 2);
        expect(await renderedIn(window.page)).toContain("sparkline");
        const heard = await heardUntil(api, 3);
        expect(named(heard, "cluster")).toEqual([]);
        expect(await renderedIn(window.page)).toEqual(["sparkline"]);
        expect(window.errors).toEqual([]);
        await window.close();
      } finally {
        await app.stop();
      }
    },
  );
});
