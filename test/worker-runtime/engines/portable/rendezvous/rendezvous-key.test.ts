import { describe, expect, test } from "vitest";
import {
  parseRendezvousKey,
  sendDeviceOf,
} from "../../../../../worker-runtime/engines/portable/rendezvous/rendezvous-key.js";
import { StatusCode } from "../../../../../worker-runtime/protocol/status.js";

const sender = "/job:worker/replica:0/task:0/device:CPU:0";
const receiver = "/job:ps/replica:0/task:1/device:CPU:0";

describe("rendezvous keys", () => {
  test("are taken apart", () => {
    const key = `${sender};1cdf83b5d0aedb99;${receiver};edge_12_x;6315961604705615773:2`;
    expect(parseRendezvousKey(key)).toEqual({
      sendDevice: sender,
      sendParts: { job: "worker", replica: 0, task: 0, type: "CPU", index: 0 },
      incarnation: 0x1cdf83b5d0aedb99n,
      recvDevice: receiver,
      tensorName: "edge_12_x",
    });
    expect(sendDeviceOf(key)).toBe(sender);
  });

  // The answers of TensorFlow 2.21's server to the same keys.
  test.each([
    ["", "no parts"],
    ["foo", "one part"],
    [`x;1;${receiver};e;0:0`, "a sender that is no device"],
    [`${sender};1;zz;e;0:0`, "a receiver that is no device"],
    [`${sender};xyz;${receiver};e;0:0`, "an incarnation that is no number"],
    [`${sender};1;${receiver};e`, "four parts"],
    [`${sender};1;${receiver};e;0:0;x`, "six parts"],
  ])("%j is refused: %s", (key) => {
    expect(() => parseRendezvousKey(key)).toThrow(
      expect.objectContaining({
        code: StatusCode.INVALID_ARGUMENT,
        message: `Invalid  rendezvous key: ${key}`,
      }),
    );
  });

  test.each([`${sender};1;${receiver};e;00`, `/job:worker/task:0/cpu:0;1;${receiver};e;0:0`])(
    "%j is taken",
    (key) => {
      expect(parseRendezvousKey(key).tensorName).toBe("e");
    },
  );
});
