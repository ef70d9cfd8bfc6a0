// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from "vitest";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { documentActions } from "../../../renderer/stores/document-store.js";
import { drawingNow } from "../../../renderer/viewport/drawing.js";
import { graphSvg } from "../../../renderer/viewport/graph-svg.js";
import { atOnce } from "../../../worker-runtime/graph/slices.js";
import { binary, constant, documentOf, welcome } from "../document/graphs.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { connect } from "../support/components.js";
import { openDocument, runOf, showRun } from "../support/documents.js";

const draw = (selectedOnly = false) => atOnce(graphSvg(drawingNow((value) => `«${value}»`, selectedOnly)));

/** The picture as a document, which it is only if it is well-formed. */
function parsed(svg: string): Element {
  const { documentElement } = new DOMParser().parseFromString(svg, "image/svg+xml");
  expect(documentElement.querySelector("parsererror")).toBeNull();
  return documentElement;
}
const textsOf = (element: Element) => [...element.querySelectorAll("text")].map((text) => text.textContent);

beforeEach(() => {
  connect();
  openDocument(welcome());
  receiveCluster(clusterOf([machineOf("laptop", { tasks: [taskOf("worker/0"), taskOf("worker/1")] })]));
});

describe("the graph as SVG", () => {
  it("has every node with its name, op, place and value, and every edge", () => {
    documentActions.pin(["z"], "/job:worker/task:1");
    const z = { name: "z:0", dtype: "float32", shape: [], values: ["11.0"], elementCount: 1, byteLength: 4 };
    showRun(runOf({ fetches: [z] }));
    const { svg, width, height } = draw();
    const root = parsed(svg);
    expect(root.getAttribute("width")).toBe(String(width));
    expect(root.getAttribute("viewBox")?.split(" ").slice(2)).toEqual([String(width), String(height)]);
    const texts = textsOf(root);
    expect(texts).toEqual(expect.arrayContaining(["a", "Const", "z = x + y", "worker/1", "11.0"]));
    expect([...root.querySelectorAll("g > title")].map((title) => title.textContent)).toContain("z (AddV2)");
    expect(root.querySelectorAll('path[fill="none"]')).toHaveLength(6);
  });

  it("can be of what is selected and the edges between", () => {
    documentActions.select(["x", "y", "z"]);
    const root = parsed(draw(true).svg);
    expect(textsOf(root).filter((text) => text?.includes("="))).toHaveLength(3);
    expect(root.querySelectorAll('path[fill="none"]')).toHaveLength(2);
    documentActions.select([]);
    expect(drawingNow((value) => value, true).items).toEqual([]);
  });

  it("resolves every colour, and stays well-formed whatever texts the graph holds", () => {
    const text = constant("text", '"<b> & \\u0001"', "string");
    openDocument(documentOf([text, binary("s", "AddV2", "text", "gone", "string")]));
    const { svg } = draw();
    expect(textsOf(parsed(svg)).join()).toContain("<b> &");
    expect(svg.replace(/«[^»]*»/g, "")).not.toMatch(/var\(|color-mix/);
  });
});
