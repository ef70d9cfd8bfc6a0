/**
 * Forbids ONNX Runtime to tell its maker how it is used: 1.30 does so by default, and keeps notes of that in the
 * temporary folder (onnxruntime/core/platform/posix/telemetry.cc). It looks at the environment of the process
 * when the first session is made, and a thread has only a copy of that: to be called by the main thread before.
 */
export function forbidTelemetry(): void {
  process.env.ORT_DISABLE_TELEMETRY = "1";
}
