/** Diagnoses of routes and proxies: each once where it is right and once where it would be wrong. */
import { type DiagnosisCase, one, refused, speed } from "../support/diagnosis-cases.js";
import { machine, route, situation } from "../support/situations.js";

export const networkCases = {
  "firewall-blocks": {
    wrong: situation([machine("gpu-pc"), machine("raspberrypi")], {
      routes: [
        route("raspberrypi", "gpu-pc", { outcome: "failed", firewallOf: "gpu-pc" }),
        route("raspberrypi", "gpu-pc", { outcome: "failed", firewallOf: "gpu-pc", address: "gpu-pc:2222" }),
      ],
    }),
    message: /^gpu-pc's firewall blocks 2 routes, to gpu-pc:2220 and gpu-pc:2222\.$/,
    severity: "error",
    machineId: "gpu-pc",
    right: situation([machine("gpu-pc"), machine("raspberrypi")], {
      routes: [route("raspberrypi", "gpu-pc")],
    }),
  },
  "proxy-in-the-way": {
    wrong: situation([machine("gpu-pc"), machine("raspberrypi")], {
      routes: [
        route("raspberrypi", "gpu-pc", {
          outcome: "failed",
          layers: [{ layer: "http2", outcome: "failed", cause: "http1" }],
          problem: { code: "UNAVAILABLE", message: "A proxy or another program answers." },
        }),
      ],
    }),
    message: /^A proxy or another program answers\.$/,
    severity: "error",
    machineId: "raspberrypi",
    right: situation([machine("gpu-pc"), machine("raspberrypi")], {
      routes: [route("raspberrypi", "gpu-pc", { outcome: "failed", problem: refused })],
    }),
  },
  "route-broken": {
    wrong: situation([machine("gpu-pc"), machine("raspberrypi")], {
      routes: [route("raspberrypi", "gpu-pc", { outcome: "failed", taskId: "worker/0", problem: refused })],
    }),
    message: /^raspberrypi reaches gpu-pc, but nothing listens on port 2222\.$/,
    severity: "error",
    machineId: "gpu-pc",
    taskId: "worker/0",
    right: situation([machine("gpu-pc"), machine("raspberrypi")], {
      routes: [route("raspberrypi", "gpu-pc", { outcome: "failed", firewallOf: "gpu-pc" })],
    }),
  },
  "one-way": {
    wrong: situation([machine("gpu-pc"), machine("raspberrypi")], {
      routes: [
        route("gpu-pc", "raspberrypi"),
        route("raspberrypi", "gpu-pc", { outcome: "failed", firewallOf: "gpu-pc" }),
      ],
    }),
    message: /^gpu-pc reaches raspberrypi, but raspberrypi does not reach gpu-pc\.$/,
    severity: "warning",
    machineId: "gpu-pc",
    right: situation([machine("gpu-pc"), machine("raspberrypi")], {
      routes: [
        route("gpu-pc", "raspberrypi", { outcome: "failed" }),
        route("raspberrypi", "gpu-pc", { outcome: "failed" }),
      ],
    }),
  },
  "slow-link": {
    wrong: situation([machine("gpu-pc"), machine("raspberrypi")], {
      throughputs: [{ from: "raspberrypi", to: "gpu-pc", speed: { ...speed, megabytesPerSecond: 2.5 } }],
    }),
    message: /^raspberrypi sends to gpu-pc at 2\.5 MB\/s only\.$/,
    severity: "warning",
    machineId: "raspberrypi",
    right: situation([machine("gpu-pc"), machine("raspberrypi")], {
      throughputs: [{ from: "raspberrypi", to: "gpu-pc", speed: { ...speed, megabytesPerSecond: 110 } }],
    }),
  },
  "long-round-trip": {
    wrong: situation([machine("gpu-pc"), machine("raspberrypi")], {
      routes: [route("raspberrypi", "gpu-pc", { roundTripMillis: 48 })],
    }),
    message: /^gpu-pc is 48 ms away from raspberrypi\.$/,
    severity: "info",
    machineId: "gpu-pc",
    right: situation([machine("gpu-pc"), machine("raspberrypi")], {
      routes: [route("raspberrypi", "gpu-pc", { roundTripMillis: 0.6 })],
    }),
  },
  "discovery-unavailable": {
    wrong: situation([machine("gpu-pc")], {
      discovery: { state: "unavailable", problem: { code: "UNAVAILABLE", message: "No multicast here." } },
    }),
    message: /^No multicast here\.$/,
    severity: "warning",
    right: situation([machine("gpu-pc")], { discovery: { state: "off" } }),
  },
  "raw-port-open": {
    wrong: one({}, { exposures: [{ code: "OK", message: "The network reaches the raw port of worker/0." }] }),
    message: /^The network reaches the raw port of worker\/0\.$/,
    severity: "warning",
    right: one({}, { exposures: [] }),
  },
  "open-cluster": {
    wrong: one({}),
    message: /^The cluster is open: anyone who reaches its ports can run any graph\.$/,
    severity: "info",
    right: one({}, { access: "secure" }),
  },
  "proxy-variables": {
    wrong: one(
      {},
      {
        proxies: [
          { machineId: "gpu-pc", variables: { https_proxy: "http://proxy:3128" }, noProxy: ["10.0.0.0/8"] },
        ],
      },
    ),
    message: /^https_proxy is set on gpu-pc\.$/,
    severity: "warning",
    machineId: "gpu-pc",
    right: one({}, { proxies: [{ machineId: "gpu-pc", variables: {}, noProxy: ["10.0.0.0/8"] }] }),
  },
} as const satisfies Readonly<Record<string, DiagnosisCase>>;
