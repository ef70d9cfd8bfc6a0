/** Health checks over gRPC: one persistent connection, and one GetStatus at a time. */
import type { DeviceAttributes } from "../../protos/generated/tensorflow/device_attributes.js";
import { Channel } from "../../worker-runtime/rpc/channel.js";
import { workerClient } from "../../worker-runtime/rpc/worker-client.js";
import type { Device } from "../api/cluster.js";
import { HEALTH_DEADLINE_MILLIS, type HealthProbe } from "./health.js";

/** Opens the persistent connection. @param address "host:port" of the task. */
export function openWorkerProbe(address: string): HealthProbe {
  const channel = new Channel(address);
  const worker = workerClient(channel);
  return {
    check: async (signal) => {
      const { deviceAttributes } = await worker.getStatus(
        {},
        { signal, deadlineMillis: HEALTH_DEADLINE_MILLIS },
      );
      return {
        devices: deviceAttributes.map(describeDevice),
        incarnation: deviceAttributes.map((device) => device.incarnation.toString(16)).join(" "),
      };
    },
    close: () => channel.close(),
  };
}

function describeDevice(device: DeviceAttributes): Device {
  return {
    name: device.name,
    type: device.deviceType,
    memoryLimitBytes: Number(device.memoryLimit),
    description: device.physicalDeviceDesc,
  };
}
