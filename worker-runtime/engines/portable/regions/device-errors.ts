/** ONNX Runtime's error for a model or a run. */
export class SessionError extends Error {}

/** The thread has ended, with all of its sessions. They can be recreated unless the device is unavailable. */
export class DeviceLostError extends Error {}
