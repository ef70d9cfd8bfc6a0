/** A thread that runs ONNX Runtime sessions one after another, since its calls block. */
import { parentPort, workerData } from "node:worker_threads";
import type { Tensor as OrtTensor } from "onnxruntime-node";
import { arrayOver } from "../../../protocol/tensor-data.js";
import { blockedChannelsOf } from "./blocked-channels.js";
import type {
  DeviceAnswer,
  DeviceRequest,
  DeviceThreadData,
  EndMessage,
  RanOutput,
  SentInput,
} from "./device-messages.js";
import { freeNow, freePending } from "./freed-memory.js";
import { type ResidentSession, ResidentTensors } from "./resident-tensors.js";
import {
  loadRuntime,
  outputMemory,
  type Runtime,
  runInOrder,
  sessionOptions,
  tensorOver,
} from "./runtime.js";

const port = parentPort;
const { runtime: runtimeModule, threads, provider, firstHandle } = workerData as DeviceThreadData;

const SESSION_OPTIONS = sessionOptions(provider, threads);

const sessions = new Map<number, ResidentSession>();
const kept = new Map<number, ArrayBuffer>();

function post(answer: DeviceAnswer, transfer: readonly ArrayBuffer[] = []): void {
  port?.postMessage(answer, transfer);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function tensorOf(runtime: Runtime, resident: ResidentTensors, input: SentInput): OrtTensor {
  const { dtype, shape } = input;
  if ("handle" in input) {
    return resident.get(input.handle);
  }
  const data = "kept" in input ? kept.get(input.kept) : input.data;
  if (data === undefined) {
    throw new Error("A device thread was told to use an input that it does not have.");
  }
  if ("data" in input && input.keepAs !== undefined) {
    kept.set(input.keepAs, data);
  }
  return tensorOver(runtime, dtype, arrayOver(dtype, data), shape);
}

async function run(
  runtime: Runtime,
  resident: ResidentTensors,
  made: ResidentSession,
  inputs: readonly SentInput[],
): Promise<RanOutput[]> {
  const { session, staying } = made;
  const given: OrtTensor[] = [];
  for (const input of inputs) {
    const key = "kept" in input ? input.kept : undefined;
    given.push(await resident.stayingOr(key, tensorOf(runtime, resident, input)));
  }
  const sent = inputs.flatMap((input) => ("data" in input ? input : []));
  await freePending(sent.reduce((sum, { data }) => sum + data.byteLength, 0));
  const outputs = await runInOrder(session, given);
  freeNow(sent.flatMap(({ data, keepAs }) => (keepAs === undefined ? data : [])));
  const returned = outputMemory(outputs.filter((_, index) => !staying[index])).values();
  return outputs.map((output, index): RanOutput => {
    const memory = staying[index] ? undefined : returned.next().value;
    return memory ?? { shape: output.dims, handle: resident.add(output, made) };
  });
}

async function handle(
  runtime: Runtime,
  resident: ResidentTensors,
  message: Exclude<DeviceRequest, EndMessage>,
): Promise<void> {
  switch (message.kind) {
    case "make": {
      const startMillis = performance.now();
      sessions.set(message.session, await resident.makeSession(message));
      post({ kind: "made", request: message.request, millis: performance.now() - startMillis });
      return;
    }
    case "run": {
      for (const tensor of message.freed) {
        await resident.free(tensor);
      }
      const session = sessions.get(message.session);
      if (session === undefined) {
        throw new Error(`A device thread does not know session ${message.session}.`);
      }
      const startMillis = performance.now();
      const outputs = await run(runtime, resident, session, message.inputs);
      post(
        { kind: "ran", request: message.request, outputs, millis: performance.now() - startMillis },
        outputs.flatMap((output) => ("data" in output ? output.data : [])),
      );
      return;
    }
    case "release":
      freeNow(message.inputs.flatMap((input) => kept.get(input) ?? []));
      for (const input of message.inputs) {
        kept.delete(input);
        resident.forgetKept(input);
      }
      for (const tensor of message.tensors) {
        await resident.free(tensor);
      }
      for (const number of message.sessions) {
        const known = sessions.get(number);
        sessions.delete(number);
        await known?.letGo();
      }
      return;
    case "fetch": {
      const data = await resident.read(message.handle);
      post({ kind: "fetched", request: message.request, data }, [data]);
      return;
    }
    case "describe":
      post({
        kind: "described",
        request: message.request,
        blockedChannels: await blockedChannelsOf(runtime, SESSION_OPTIONS),
      });
  }
}

async function answer(
  runtime: Runtime,
  resident: ResidentTensors,
  message: Exclude<DeviceRequest, EndMessage>,
): Promise<void> {
  if (isEnding) {
    return;
  }
  try {
    await handle(runtime, resident, message);
  } catch (error) {
    if ("request" in message) {
      post({ kind: "failed", request: message.request, reason: reasonOf(error) });
    }
  }
}

let last = Promise.resolve();
let isEnding = false;
try {
  const runtime = await loadRuntime(runtimeModule);
  // The native library is loaded on first use.
  runtime.listSupportedBackends?.();
  const resident = new ResidentTensors(runtime, SESSION_OPTIONS, firstHandle);
  port?.on("message", (message: DeviceRequest) => {
    if (message.kind === "end") {
      isEnding = true;
      last = last.then(() => {
        resident.freeAll();
        // Nothing else keeps the thread alive.
        port.close();
      });
      return;
    }
    last = last.then(() => answer(runtime, resident, message));
  });
  post({ kind: "started" });
} catch (error) {
  post({ kind: "unavailable", reason: reasonOf(error) });
}
