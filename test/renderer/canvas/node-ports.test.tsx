// @vitest-environment happy-dom
import { render } from "@testing-library/react";
import { expect, it } from "vitest";
import { DataType } from "../../../protos/generated/tensorflow/types.js";
import { FarPorts } from "../../../renderer/canvas/node-ports.js";

it("the ports of a node seen from far away are where React Flow looks for them", () => {
  const port = (id: string) => ({ id, label: id, dtype: DataType.DT_FLOAT, shape: "circle" }) as const;
  const { container } = render(
    <FarPorts
      ports={{ inputs: [port("i0"), port("i1")], outputs: [port("o0")], grow: undefined, height: 60 }}
    />,
  );
  // As @xyflow/system's getHandleBounds does.
  const found = (type: string) =>
    [...container.querySelectorAll(`.${type}`)].map((element) => element.getAttribute("data-handleid"));
  expect(found("target")).toEqual(["control-in", "i0", "i1"]);
  expect(found("source")).toEqual(["control-out", "o0"]);
});
