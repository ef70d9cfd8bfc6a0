// The tests that .ci/run repeats on the oldest supported Node.js: those of what depends on Node itself, whose behaviour
// differs between its versions.

/** Filters for vitest: folders and files. */
export const NODE_DEPENDENT_TESTS = [
  // Start, the packages that are installed, the command line.
  "test/build/start.test.ts",
  "test/build/npm-package.test.ts",
  "test/main/cli",
  "test/worker-runtime/cli",
  // Cancellation, unhandled rejections, processes and signals.
  "test/worker-runtime/cancellation",
  "test/worker-runtime/faults.test.ts",
  "test/worker-runtime/engines/end-with-signal.test.ts",
  "test/worker-runtime/engines/portable/hardening",
  "test/main/tasks",
  "test/main/submit",
  // Sockets, TLS, HTTP/2, gRPC and WebSocket.
  "test/main/hosts",
  "test/main/network/reachability",
  "test/main/peers",
  "test/worker-runtime/rpc",
  "test/worker-runtime/engines/portable/transport",
  "test/interop/session.test.ts",
  "test/interop/worker.test.ts",
  // Files.
  "test/main/storage",
  "test/worker-runtime/io",
  // The whole, in a browser.
  "test/e2e/welcome.test.ts",
];
