import { describe, expect, test } from "vitest";
import { MetaGraphDef, SignatureDef, TensorInfo } from "../../../protos/generated/tensorflow/meta_graph.js";
import { fedTensor, signatureNamed, wantedOutputs } from "../../../worker-runtime/cli/run-signature.js";

const tensor = (value: string) => TensorInfo.fromPartial({ encoding: { $case: "name", value } });

const notes = MetaGraphDef.fromPartial({
  signatureDef: new Map([
    [
      "serving_default",
      SignatureDef.fromPartial({
        inputs: new Map([["x", tensor("in:0")]]),
        outputs: new Map([
          ["scores", tensor("out:1")],
          ["classes", tensor("out:0")],
          ["done", tensor("group")],
        ]),
      }),
    ],
    [
      "__saved_model_init_op",
      SignatureDef.fromPartial({ outputs: new Map([["__saved_model_init_op", tensor("NoOp")]]) }),
    ],
  ]),
});

describe("a signature", () => {
  test("gives tensors and operations their names", () => {
    const signature = signatureNamed(notes, "serving_default");
    expect([...signature.outputs]).toEqual([
      ["classes", "out:0"],
      ["scores", "out:1"],
    ]);
    expect(signature.targets).toEqual(["group"]);
    expect(fedTensor(signature, "x")).toBe("in:0");
    expect(fedTensor(signature, "other:0")).toBe("other:0");
    expect(fedTensor(undefined, "x")).toBe("x");
    expect([...wantedOutputs(signature, ["scores"])]).toEqual([["scores", "out:1"]]);
  });

  test("that is not there is named, with those that are", () => {
    expect(() => signatureNamed(notes, "serving")).toThrow(
      'There is no signature "serving". Did you mean serving_default? The graph has: serving_default.',
    );
    expect(() => signatureNamed(MetaGraphDef.fromPartial({}), "a")).toThrow("has no signatures");
    expect(() => wantedOutputs(signatureNamed(notes, "serving_default"), ["score"])).toThrow(
      'has no output "score". Did you mean scores',
    );
  });
});
