import { describe, expect, it } from "vitest";
import { reportSchema, scalarReports, toMessage } from "../../../../main/scripts/remote/script-protocol.js";

const received = (reports: ReturnType<typeof scalarReports>) =>
  reports.map((report) => {
    const { content } = toMessage(report);
    return reportSchema.parse(JSON.parse(content?.$case === "json" ? content.value : ""));
  });

describe("the scalars that a machine sends", () => {
  const point = { folder: "logs/train", tag: "loss", step: 3, value: 0.5 };

  it("arrive as they were, also those that are no finite numbers", () => {
    const points = [point, ...[Number.NaN, Number.POSITIVE_INFINITY].map((value) => ({ ...point, value }))];
    expect(received(scalarReports(points))).toEqual([{ kind: "scalars", points }]);
  });

  it("are sent in several messages if there are many, without those that would be refused", () => {
    const many = Array.from({ length: 10_001 }, (_, step) => ({ ...point, step }));
    const refused = { ...point, folder: "a:b" };
    const reports = received(scalarReports([refused, ...many]));
    expect(reports.map((report) => (report.kind === "scalars" ? report.points.length : 0))).toEqual([
      ...[10_000, 1],
    ]);
    expect(scalarReports([])).toEqual([]);
  });

  it("are refused with a folder that leads elsewhere", () => {
    const parsed = reportSchema.safeParse({ kind: "scalars", points: [{ ...point, folder: "../x" }] });
    expect(parsed.success).toBe(false);
  });
});
