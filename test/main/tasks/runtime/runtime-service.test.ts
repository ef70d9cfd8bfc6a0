import { afterEach, describe, expect, it } from "vitest";
import type { Runtime, RuntimeState } from "../../../../main/api/runtime.js";
import { deferred } from "../../../../main/shared/deferred.js";
import { RuntimeService } from "../../../../main/tasks/runtime/runtime-service.js";
import type { RuntimeTools } from "../../../../main/tasks/runtime/runtime-tools.js";
import { failedPrecondition } from "../../../../worker-runtime/protocol/status.js";
import { until } from "../../support/until.js";

const runtime: Runtime = { path: "/lib", origin: "installed by Tensordeck", version: "2.21.0", gpu: false };
const offer = { version: "2.21.0", downloadBytes: 1, installedBytes: 2, freeBytes: 3, gpu: false };
const services: RuntimeService[] = [];
afterEach(() => Promise.all(services.splice(0).map((service) => service.dispose())));

/** A machine on which an installation goes through its phases until it is cancelled or told to end. */
function machine(searched: Promise<void> = Promise.resolve()) {
  let installed = false;
  let end: ((error?: Error) => void) | undefined;
  let cleaned = false;
  const told: RuntimeState[] = [];
  const tools: RuntimeTools = {
    find: async () => {
      await searched;
      return installed ? { runtime } : {};
    },
    offer: async (found) => (found ? {} : { offer }),
    install: (onProgress, signal) =>
      new Promise((resolve, reject) => {
        for (let i = 0; i < 100; i++) onProgress({ phase: "downloading", doneBytes: i, totalBytes: 100 });
        onProgress({ phase: "unpacking", doneBytes: 0, totalBytes: 0 });
        end = (error) => {
          if (error) return reject(error);
          installed = true;
          resolve();
        };
        signal.addEventListener("abort", () => {
          cleaned = true;
          reject(new Error("cancelled"));
        });
      }),
    opList: async () => new Uint8Array(),
  };
  const service = new RuntimeService(tools, (event, data) => {
    if (event === "runtime") told.push(data as RuntimeState);
  });
  services.push(service);
  return { service, told, finish: (error?: Error) => end?.(error), cleaned: () => cleaned };
}

describe("the runtime of a machine", () => {
  it("is looked for when somebody asks, and offered where there is none", async () => {
    const { service, told } = machine();
    expect(told).toEqual([]);
    expect(await service.get()).toEqual({ offer });
    expect(told).toEqual([{ offer }]);
  });

  it("is found once it was installed; progress is told, not too often", async () => {
    const { service, told, finish } = machine();
    await service.get();
    service.install();
    expect(() => service.install()).toThrow("being installed");
    await until("unpacking", () => told.at(-1)?.progress?.phase === "unpacking");
    expect(told.length).toBeLessThan(10);
    finish();
    await until("a runtime", () => told.at(-1)?.runtime !== undefined);
    expect(told.at(-1)).toEqual({ runtime });
    expect(service.known()).toEqual(runtime);
  });

  it("is offered again, with the reason, when the installation failed", async () => {
    const { service, told, finish } = machine();
    await service.get();
    service.install();
    finish(failedPrecondition("The library does not load here."));
    await until("a problem", () => told.at(-1)?.problem !== undefined);
    expect(told.at(-1)).toEqual({
      offer,
      problem: { code: "FAILED_PRECONDITION", message: "The library does not load here." },
    });
    service.install();
    expect(told.at(-1)?.problem).toBeUndefined();
  });

  it("is not said to be being installed by a search that began before the installation ended", async () => {
    const searching = deferred<void>();
    const { service, told, finish } = machine(searching.promise);
    const found = service.get();
    service.install();
    finish(failedPrecondition("The library does not load here."));
    await until("a problem", () => told.at(-1)?.problem !== undefined);
    searching.resolve();
    expect(await found).toEqual({ offer });
    const again = service.refresh();
    service.install();
    await again;
    expect(told.at(-1)?.progress).toBeDefined();
  });

  it("is offered again without a reproach when the installation was cancelled", async () => {
    const { service, told, cleaned } = machine();
    await service.get();
    service.install();
    await service.cancelInstall();
    expect(cleaned()).toBe(true);
    expect(told.at(-1)).toEqual({ offer });
  });
});
