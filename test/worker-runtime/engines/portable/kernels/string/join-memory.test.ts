import { expect, test } from "vitest";
import { textKernels } from "../../../../../../worker-runtime/engines/portable/kernels/string/text-ops.js";
import { StatusCode } from "../../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { runOnce } from "../kernel-runner.js";

test("StringJoin refuses to join more than there is memory for", async () => {
  const count = 2 ** 16;
  const short = new Tensor("string", [count], new Array<Uint8Array>(count).fill(new Uint8Array(1)));
  // Repeated for each of the short ones: a tebibyte.
  const long = new Tensor("string", [], [new Uint8Array(2 ** 24)]);
  await expect(
    runOnce(textKernels, { op: "StringJoin", inputs: [short, long], attrs: { separator: ", " } }),
  ).rejects.toMatchObject({
    code: StatusCode.RESOURCE_EXHAUSTED,
    message: expect.stringContaining("OOM when allocating tensor with shape[65536] and type string"),
  });
});
