/**
 * StepStats of TensorFlow 2.21, recorded on two servers of its own (job worker, tasks 0 and 1, on one machine) with the
 * stock Python client: a = 3, b = 2, x = a + b, y = a * b on task 0, z = x + y on task 1; z fetched from task 0.
 */
import { GraphDef } from "../../../../protos/generated/tensorflow/graph.js";
import { StepStats } from "../../../../protos/generated/tensorflow/step_stats.js";

const decode = (base64: string): StepStats => StepStats.decode(Buffer.from(base64, "base64"));

/** With grappler off and optimizer level L0: every node ran. */
export const unoptimizedStep = (): StepStats =>
  decode(
    "CsoBCikvam9iOndvcmtlci9yZXBsaWNhOjAvdGFzazowL2RldmljZTpDUFU6MBKcAQoKUmVjdlRlbnNvchC/2JSOxZiYAyB/KH86" +
      "BhoEIgIIBEJ5WzRCXSBbMC4yNTE5NjlNYi9zXSBlZGdlXzEyX3ogZnJvbSAvam9iOndvcmtlci9yZXBsaWNhOjAvdGFzazoxL2Rl" +
      "dmljZTpDUFU6MCB0byAvam9iOndvcmtlci9yZXBsaWNhOjAvdGFzazowL2RldmljZTpDUFU6MArpAgopL2pvYjp3b3JrZXIvcmVw" +
      "bGljYTowL3Rhc2s6MS9kZXZpY2U6Q1BVOjASmwEKClJlY3ZUZW5zb3IQqtaUjsWYmAMgUihSOgYaBCICCARCeFs0Ql0gWzAuMzkw" +
      "MjQ0TWIvc10gZWRnZV84X3kgZnJvbSAvam9iOndvcmtlci9yZXBsaWNhOjAvdGFzazowL2RldmljZTpDUFU6MCB0byAvam9iOndv" +
      "cmtlci9yZXBsaWNhOjAvdGFzazoxL2RldmljZTpDUFU6MBKdAQoKUmVjdlRlbnNvchC31pSOxZiYAyDtASjtAToGGgQiAggEQnhb" +
      "NEJdIFswLjEzNTAyMU1iL3NdIGVkZ2VfN194IGZyb20gL2pvYjp3b3JrZXIvcmVwbGljYTowL3Rhc2s6MC9kZXZpY2U6Q1BVOjAg" +
      "dG8gL2pvYjp3b3JrZXIvcmVwbGljYTowL3Rhc2s6MS9kZXZpY2U6Q1BVOjAK6AEKKS9qb2I6d29ya2VyL3JlcGxpY2E6MC90YXNr" +
      "OjEvZGV2aWNlOkNQVTowEkoKB19TT1VSQ0UQ9tSUjsWYmANCEF9TT1VSQ0UgPSBOb09wKClI9NSUjsWYmANohby30fbb//QYcDx4" +
      "WoABzAOIAfmvt9H22//0GBJvCgF6ELfYlI7FmJgDGAEgAygFOhoaGAgBEgAiEggEGgZta2xjcHUwwMjEhKHoH0IVeiA9IEFkZFYy" +
      "KHhfUzEsIHlfUzMpSKnYlI7FmJgDYgBojfXS0fbb//QYcNQGeLkVgAHtJIgBjYfS0fbb//QYCo4FCikvam9iOndvcmtlci9yZXBs" +
      "aWNhOjAvdGFzazowL2RldmljZTpDUFU6MBJLCgdfU09VUkNFEKzTlI7FmJgDQhBfU09VUkNFID0gTm9PcCgpSITTlI7FmJgDaMKR" +
      "q9H22//0GHBleI0BgAGVBYgBk96o0fbb//QYEmcKAWEQr9OUjsWYmAMYASACKAU6GhoYCAESACISCAQaBm1rbGNwdTCAwsuEoegf" +
      "QgthID0gQ29uc3QoKUis05SOxZiYA2ICGARoxK2r0fbb//QYcLsEeNEOgAHcIYgBm5ar0fbb//QYEmYKAWIQtNOUjsWYmAMYASAB" +
      "KAI6GhoYCAESACISCAQaBm1rbGNwdTCA+sqEoegfQgtiID0gQ29uc3QoKUi005SOxZiYA2ICGARoy9Wr0fbb//QYcD14jwKAAeII" +
      "iAGMz6vR9tv/9BgSoAEKAXkQttOUjsWYmAMYASAFKAcyMQoGbWtsY3B1EAQYBCAEMgsIu9OUjsWYmAMQBDIUCJjXlI7FmJgDEPz/" +
      "/////////wE6IBoeCAESACIYCAQQBBoGbWtsY3B1IAEoATDAm6SinugfQg15ID0gTXVsKGEsIGIpSLbTlI7FmJgDYgBo9uSr0fbb" +
      "//QYcOcBeN4mgAHgMIgBj96r0fbb//QYEp8BCgF4EMDTlI7FmJgDIAEoAjIxCgZta2xjcHUQBBgEIAQyCwjB05SOxZiYAxAEMhQI" +
      "wdaUjsWYmAMQ/P//////////ATogGh4IARIAIhgIBBAEGgZta2xjcHUgASgBMIDdpaKe6B9CD3ggPSBBZGRWMihhLCBiKUi205SO" +
      "xZiYA2IAaLKurNH22//0GHBQeO4JgAGhD4gBxuCr0fbb//QY",
  );

/** With only grappler off: task 0 folded x and y into constants of its own. */
export const foldedByWorkerStep = (): StepStats =>
  decode(
    "CswBCikvam9iOndvcmtlci9yZXBsaWNhOjAvdGFzazowL2RldmljZTpDUFU6MBKeAQoKUmVjdlRlbnNvchDC9ZOOxZiYAyCEASiE" +
      "AToGGgQiAggEQnlbNEJdIFswLjI0MjQyNE1iL3NdIGVkZ2VfMTJfeiBmcm9tIC9qb2I6d29ya2VyL3JlcGxpY2E6MC90YXNrOjEv" +
      "ZGV2aWNlOkNQVTowIHRvIC9qb2I6d29ya2VyL3JlcGxpY2E6MC90YXNrOjAvZGV2aWNlOkNQVTowCusCCikvam9iOndvcmtlci9y" +
      "ZXBsaWNhOjAvdGFzazoxL2RldmljZTpDUFU6MBKdAQoKUmVjdlRlbnNvchDn8ZOOxZiYAyDpASjpAToGGgQiAggEQnhbNEJdIFsw" +
      "LjEzNzMzOU1iL3NdIGVkZ2VfOF95IGZyb20gL2pvYjp3b3JrZXIvcmVwbGljYTowL3Rhc2s6MC9kZXZpY2U6Q1BVOjAgdG8gL2pv" +
      "Yjp3b3JrZXIvcmVwbGljYTowL3Rhc2s6MS9kZXZpY2U6Q1BVOjASnQEKClJlY3ZUZW5zb3IQhvSTjsWYmAMgowEoowE6BhoEIgII" +
      "BEJ4WzRCXSBbMC4xOTYzMTlNYi9zXSBlZGdlXzdfeCBmcm9tIC9qb2I6d29ya2VyL3JlcGxpY2E6MC90YXNrOjAvZGV2aWNlOkNQ" +
      "VTowIHRvIC9qb2I6d29ya2VyL3JlcGxpY2E6MC90YXNrOjEvZGV2aWNlOkNQVTowCukBCikvam9iOndvcmtlci9yZXBsaWNhOjAv" +
      "dGFzazoxL2RldmljZTpDUFU6MBJLCgdfU09VUkNFEOfuk47FmJgDQhBfU09VUkNFID0gTm9PcCgpSOTuk47FmJgDaPPUmcv22//0" +
      "GHBueKABgAHZBIgB0cCZy/bb//QYEm8KAXoQu/WTjsWYmAMYASADKAU6GhoYCAESACISCAQaBm1rbGNwdTCAzMOEoegfQhV6ID0g" +
      "QWRkVjIoeF9TMSwgeV9TMylIr/WTjsWYmANiAGjd2c3L9tv/9BhwzwR43BOAAcMjiAHV+szL9tv/9BgK8QIKKS9qb2I6d29ya2Vy" +
      "L3JlcGxpY2E6MC90YXNrOjAvZGV2aWNlOkNQVTowElEKB19TT1VSQ0UQz+6TjsWYmAMYASABKAFCEF9TT1VSQ0UgPSBOb09wKClI" +
      "rO6TjsWYmANot6CYy/bb//QYcFt4gwGAAdkEiAHMjJbL9tv/9BgSewoLeC9fMF9fY2ZfXzAQ1e6TjsWYmAMYASACKAQ6GhoYCAES" +
      "ACISCAQaBm1rbGNwdTDAiKqCoOgfQhV4L18wX19jZl9fMCA9IENvbnN0KClI0O6TjsWYmANiAhgEaOzPmMv22//0GHDpAnirD4AB" +
      "kh+IAd6kmMv22//0GBJ0Cgt5L18xX19jZl9fMRDb7pOOxZiYAzoaGhgIARIAIhIIBBoGbWtsY3B1MMD2rIKg6B9CFXkvXzFfX2Nm" +
      "X18xID0gQ29uc3QoKUjZ7pOOxZiYA2ICGARopviYy/bb//QYcDx4vgGAAZMEiAHg7pjL9tv/9Bg=",
  );

/** As it is by default: the master folded all into one constant z. */
export const foldedByMasterStep = (): StepStats =>
  decode(
    "CskBCikvam9iOndvcmtlci9yZXBsaWNhOjAvdGFzazowL2RldmljZTpDUFU6MBKbAQoKUmVjdlRlbnNvchDAg5OOxZiYAyB/KH86" +
      "BhoEIgIIBEJ4WzRCXSBbMC4yNTE5NjlNYi9zXSBlZGdlXzVfeiBmcm9tIC9qb2I6d29ya2VyL3JlcGxpY2E6MC90YXNrOjEvZGV2" +
      "aWNlOkNQVTowIHRvIC9qb2I6d29ya2VyL3JlcGxpY2E6MC90YXNrOjAvZGV2aWNlOkNQVTowCnsKKS9qb2I6d29ya2VyL3JlcGxp" +
      "Y2E6MC90YXNrOjAvZGV2aWNlOkNQVTowEk4KB19TT1VSQ0UQ34GTjsWYmAMoAUIQX1NPVVJDRSA9IE5vT3AoKUj+gJOOxZiYA2iq" +
      "08XE9tv/9Bhw3AF4hAKAAfEGiAHQ3L/E9tv/9BgK3gEKKS9qb2I6d29ya2VyL3JlcGxpY2E6MC90YXNrOjEvZGV2aWNlOkNQVTow" +
      "EkoKB19TT1VSQ0UQloOTjsWYmANCEF9TT1VSQ0UgPSBOb09wKClIk4OTjsWYmANo6eXQxPbb//QYcEZ4ZIABrwOIAanR0MT22//0" +
      "GBJlCgF6EJiDk47FmJgDIAIoBDoaGhgIARIAIhIIBBoGbWtsY3B1MMDSqIKf6B9CC3ogPSBDb25zdCgpSJaDk47FmJgDYgIYBGiw" +
      "9NDE9tv/9Bhw8AF4/xGAAaIiiAHm6NDE9tv/9Bg=",
  );

/** The graph of all three. */
export const recordedGraph = (): GraphDef =>
  GraphDef.fromPartial({
    node: [
      { name: "a", op: "Const" },
      { name: "b", op: "Const" },
      { name: "x", op: "AddV2", input: ["a", "b"] },
      { name: "y", op: "Mul", input: ["a", "b"] },
      { name: "z", op: "AddV2", input: ["x", "y"] },
    ],
  });
