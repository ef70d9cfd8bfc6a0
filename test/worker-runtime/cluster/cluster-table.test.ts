import { describe, expect, test } from "vitest";
import {
  clusterOfRows,
  nextIndex,
  type TableRow,
  tableProblems,
} from "../../../worker-runtime/cluster/cluster-table.js";
import fc from "../../support/seeded-check.js";

function row(job: string, index: number, address: string, machine = "gpu-pc"): TableRow {
  return { job, index, address, machine };
}

const crossing = { addressesCrossMachines: true };

describe("tableProblems", () => {
  test("finds nothing in a cluster that is right", () => {
    const rows = [row("worker", 0, "gpu-pc:2222"), row("ps", 0, "gpu-pc:2223"), row("ps", 1, "", "pi")];
    expect(tableProblems(rows, crossing)).toEqual([]);
  });

  test("offers the next free port where two tasks have one address", () => {
    const rows = [
      row("worker", 0, "gpu-pc:2222"),
      row("ps", 0, "gpu-pc:2223"),
      row("worker", 2, "GPU-PC:2222"),
    ];
    const [found, ...more] = tableProblems(rows, crossing);
    expect(more).toEqual([]);
    expect(found).toMatchObject({
      row: 2,
      field: "address",
      message: "worker/0 already uses GPU-PC:2222. Next free port on GPU-PC: 2224.",
      fix: { label: "Use 2224", row: { address: "GPU-PC:2224" } },
    });
  });

  test("offers a port where an address has none", () => {
    const [found] = tableProblems([row("ps", 2, "192.168.1.31")], crossing);
    expect(found?.message).toBe("A ps address needs a port, for example 192.168.1.31:2222.");
    expect(found?.fix).toEqual({ label: "Add :2222", row: row("ps", 2, "192.168.1.31:2222") });
  });

  test("says what else is wrong with an address", () => {
    const [found] = tableProblems([row("ps", 0, "http://pi:2222")], crossing);
    expect(found?.message).toContain("has a scheme");
    expect(found?.fix).toBeUndefined();
  });

  test("refuses a loopback address only where addresses have to hold on several machines", () => {
    const rows = [row("worker", 0, "localhost:2222"), row("worker", 1, "pi:2222", "pi")];
    expect(tableProblems(rows, crossing)[0]?.message).toContain("that machine itself");
    expect(tableProblems(rows, { addressesCrossMachines: false })).toEqual([]);
    expect(tableProblems(rows.slice(0, 1), crossing)).toEqual([]);
  });

  test("offers a free index where a task is there twice", () => {
    const rows = [row("worker", 0, "a:1"), row("worker", 1, "a:2"), row("worker", 0, "a:3")];
    expect(tableProblems(rows, crossing)).toEqual([
      {
        row: 2,
        field: "index",
        message: "There is already a worker/0.",
        fix: { label: "Use worker/2", row: row("worker", 2, "a:3") },
      },
    ]);
  });

  test("wants a machine or an address, and a job", () => {
    const rows = [row("worker", 0, "", ""), row("1st", 0, "a:1"), row("", 0, "a:2")];
    expect(tableProblems(rows, crossing).map(({ field }) => field)).toEqual(["machine", "job", "job"]);
  });

  test("every fix mends its row, whatever the table holds", () => {
    const cell = fc.record({
      job: fc.constantFrom("worker", "ps", "chief"),
      index: fc.nat(3),
      address: fc.constantFrom("", "a:2222", "a:2223", "a", "b:2222", "b", "[::1]:2222", "localhost:2222"),
      machine: fc.constantFrom("", "m1"),
    });
    fc.assert(
      fc.property(fc.array(cell, { maxLength: 8 }), (rows) => {
        for (const { row: position, fix, field } of tableProblems(rows, { addressesCrossMachines: false })) {
          if (!fix) continue;
          const mended: TableRow[] = (rows as TableRow[]).with(position, fix.row);
          const left = tableProblems(mended, { addressesCrossMachines: false });
          expect(left.filter((other) => other.row === position && other.field === field)).toEqual([]);
        }
      }),
    );
  });
});

test("nextIndex fills gaps", () => {
  expect(nextIndex([row("worker", 0, ""), row("worker", 2, ""), row("ps", 1, "")], "worker")).toBe(1);
});

test("clusterOfRows leaves out what has no address", () => {
  const cluster = clusterOfRows([row("worker", 1, "a:1"), row("worker", 0, ""), row("ps", 0, "b:1")]);
  expect(cluster.asDict()).toEqual({ worker: { 1: "a:1" }, ps: ["b:1"] });
});
