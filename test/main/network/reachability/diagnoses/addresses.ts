/** Diagnoses of errors in the ClusterSpec: each once where it is right and once where it would be wrong. */
import { type DiagnosisCase, one, two } from "../support/diagnosis-cases.js";
import { machine, route, situation, task } from "../support/situations.js";

export const addressesCases = {
  "localhost-with-several-machines": {
    wrong: two("localhost:2222", "raspberrypi:2222"),
    message: /^worker\/0 has the address localhost:2222, which means the local machine on every machine\.$/,
    severity: "error",
    taskId: "worker/0",
    right: { ...two("127.0.0.1:2222", "127.0.0.1:2223"), access: "secure" },
  },
  "address-without-port": {
    wrong: one({ address: "gpu-pc" }),
    message: /^The address 'gpu-pc' of worker\/0 has no port; write for example gpu-pc:2222\.$/,
    severity: "error",
    taskId: "worker/0",
    right: one({ address: "" }),
  },
  "two-tasks-on-one-address": {
    wrong: two("gpu-pc:2222", "GPU-PC:2222"),
    message: /^worker\/0 and worker\/1 have the same address gpu-pc:2222\.$/,
    severity: "error",
    taskId: "worker/1",
    right: two("gpu-pc:2222", "gpu-pc:2223"),
  },
  "two-names-for-one-process": {
    wrong: {
      ...two("gpu-pc:2222", "192.168.1.20:2222"),
      incarnations: new Map([
        ["worker/0", "a1"],
        ["worker/1", "a1"],
      ]),
    },
    message: /^worker\/0 \(gpu-pc:2222\) and worker\/1 \(192\.168\.1\.20:2222\) are the same server\.$/,
    severity: "error",
    right: {
      ...two("gpu-pc:2222", "raspberrypi:2222"),
      incarnations: new Map([
        ["worker/0", "a1"],
        ["worker/1", "b2"],
      ]),
    },
  },
  "bad-job-name": {
    wrong: situation([machine("gpu-pc", [task("my-worker/0")])]),
    message: /^TensorFlow refuses the job name 'my-worker'\.$/,
    severity: "error",
    right: situation([machine("gpu-pc", [task("my_worker/0")])]),
  },
  "index-gap": {
    wrong: situation([machine("gpu-pc", [task("worker/0"), task("worker/2")])], { membership: "fixed" }),
    message: /^Job worker has no task 1\.$/,
    severity: "warning",
    right: situation([machine("gpu-pc", [task("worker/0"), task("worker/2")])]),
  },
  "name-resolves-differently": {
    wrong: situation([machine("gpu-pc"), machine("raspberrypi"), machine("macbook")], {
      routes: [
        route("raspberrypi", "gpu-pc", {
          layers: [{ layer: "name", outcome: "ok", detail: "192.168.1.20" }],
        }),
        route("macbook", "gpu-pc", {
          layers: [{ layer: "name", outcome: "ok", detail: "10.8.0.4, fd00::4" }],
        }),
      ],
    }),
    message: /^The name gpu-pc leads to different machines\.$/,
    severity: "warning",
    machineId: "gpu-pc",
    right: situation([machine("gpu-pc"), machine("raspberrypi"), machine("macbook")], {
      routes: [
        route("raspberrypi", "gpu-pc", {
          layers: [{ layer: "name", outcome: "ok", detail: "192.168.1.20" }],
        }),
        route("macbook", "gpu-pc", {
          layers: [{ layer: "name", outcome: "ok", detail: "fd00::4, 192.168.1.20" }],
        }),
      ],
    }),
  },
  "ipv6-only": {
    wrong: situation([machine("gpu-pc", [], { addresses: ["fd00::1"] })]),
    message: /^gpu-pc has IPv6 addresses only\.$/,
    severity: "info",
    machineId: "gpu-pc",
    right: situation([machine("gpu-pc", [], { addresses: ["192.168.1.20", "fd00::1"] })]),
  },
} as const satisfies Readonly<Record<string, DiagnosisCase>>;
