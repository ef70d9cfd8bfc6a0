import { appendFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { EventFolder, type FolderScalar } from "../../../../main/scripts/curves/event-folder.js";
import { EventReader } from "../../../../main/scripts/curves/event-reader.js";
import type { Event } from "../../../../protos/generated/tensorflow/event.js";
import { eventRecord, versionRecord } from "../../../../worker-runtime/io/events/event-file.js";
import { Tensor, tensorToProto } from "../../../../worker-runtime/protocol/tensor.js";

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "tensordeck-events-"));
});
afterEach(() => rm(root, { recursive: true }));

type Value = NonNullable<Extract<Event["what"], { $case: "summary" }>["value"]["value"][number]>;

function scalar(step: number, tag: string, number: number): Uint8Array {
  return summary(step, { tag, value: { $case: "simpleValue", value: number } });
}

function summary(step: number, value: Partial<Value>): Uint8Array {
  const full: Value = { tag: "", value: undefined, nodeName: "", metadata: undefined, ...value };
  return eventRecord({ step: BigInt(step), what: { $case: "summary", value: { value: [full] } } });
}

function tensorSummary(step: number, tag: string, tensor: Tensor, pluginName: string): Uint8Array {
  return summary(step, {
    tag,
    value: { $case: "tensor", value: tensorToProto(tensor) },
    metadata: {
      pluginData: { pluginName, content: new Uint8Array() },
      ...{ displayName: "", summaryDescription: "", dataClass: 0 },
    },
  });
}

describe("a file of events", () => {
  it("is read as it grows, by whole records", async () => {
    const path = join(root, "events.out.tfevents.1.host");
    const reader = new EventReader(path);
    expect(await reader.read()).toEqual([]);
    const second = scalar(2, "loss", 0.25);
    await writeFile(path, Buffer.concat([versionRecord(), scalar(1, "loss", 0.5), second.subarray(0, 20)]));
    expect(await reader.read()).toEqual([{ tag: "loss", step: 1, value: 0.5 }]);
    expect(await reader.read()).toEqual([]);
    await appendFile(path, second.subarray(20));
    expect(await reader.read()).toEqual([{ tag: "loss", step: 2, value: 0.25 }]);
  });

  it("has the scalars of TensorFlow 2, which are tensors, and not its images or texts", async () => {
    const path = join(root, "events.out.tfevents.1.host.v2");
    const records = [
      tensorSummary(3, "epoch_loss", Tensor.of(0.125, "float32"), "scalars"),
      tensorSummary(3, "picture", Tensor.of("png"), "images"),
      tensorSummary(3, "text", Tensor.of("words"), "text"),
      tensorSummary(3, "weights", Tensor.of([1, 2, 3]), "scalars"),
    ];
    await writeFile(path, Buffer.concat(records));
    expect(await new EventReader(path).read()).toEqual([{ tag: "epoch_loss", step: 3, value: 0.125 }]);
  });

  it("ends at a damaged record, and what came before it counts", async () => {
    const path = join(root, "events.out.tfevents.1.host");
    const damaged = scalar(2, "loss", 2);
    damaged[20] = (damaged[20] ?? 0) ^ 1;
    await writeFile(path, Buffer.concat([scalar(1, "loss", 1), damaged, scalar(3, "loss", 3)]));
    const reader = new EventReader(path);
    expect(await reader.read()).toEqual([{ tag: "loss", step: 1, value: 1 }]);
    await appendFile(path, scalar(4, "loss", 4));
    expect(await reader.read()).toEqual([]);
  });
});

describe("a folder of events", () => {
  it("is followed in all of its folders, from now on", async () => {
    await mkdir(join(root, "logs", "train"), { recursive: true });
    const old = join(root, "logs", "train", "events.out.tfevents.1.old");
    await writeFile(old, scalar(1, "loss", 9));
    const seen: FolderScalar[] = [];
    const folder = await EventFolder.follow(root, (points) => seen.push(...points));
    await appendFile(old, scalar(2, "loss", 1));
    await mkdir(join(root, "logs", "validation"));
    await writeFile(join(root, "logs", "validation", "events.out.tfevents.2.new"), scalar(5, "loss", 4));
    await mkdir(join(root, ".venv"));
    await writeFile(join(root, ".venv", "events.out.tfevents.3.other"), scalar(1, "loss", 7));
    await folder.close();
    expect(seen).toEqual([
      { folder: "logs/train", tag: "loss", step: 2, value: 1 },
      { folder: "logs/validation", tag: "loss", step: 5, value: 4 },
    ]);
  });
});
