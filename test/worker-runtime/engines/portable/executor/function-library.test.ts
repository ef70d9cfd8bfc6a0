import { describe, expect, test } from "vitest";
import type { AttrValue } from "../../../../../protos/generated/tensorflow/attr_value.js";
import { type FunctionDef, FunctionDefLibrary } from "../../../../../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../../../../protos/generated/tensorflow/types.js";
import { cancelled, invalidArgument, StatusCode } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import {
  arg,
  environment,
  float32,
  func,
  int,
  int32,
  node,
  ret,
  type Setup,
  scalars,
  stateful,
  type,
  typeList,
} from "./graph-fixture.js";

interface Signature {
  readonly input: readonly string[];
  readonly output: readonly string[];
  readonly ret: Readonly<Record<string, string>>;
  readonly controlRet?: Readonly<Record<string, string>>;
}

/** A function of one type attribute T, which all of its arguments have. */
function definition(
  name: string,
  { input, output, ret: returned, controlRet = {} }: Signature,
  nodes: NodeDef[],
): FunctionDef {
  const { function: functions } = FunctionDefLibrary.fromPartial({
    function: [
      {
        signature: {
          name,
          attr: [{ name: "T", type: "type" }],
          inputArg: input.map((each) => ({ name: each, typeAttr: "T" })),
          outputArg: output.map((each) => ({ name: each, typeAttr: "T" })),
        },
        nodeDef: nodes,
        ret: new Map(Object.entries(returned)),
        controlRet: new Map(Object.entries(controlRet)),
      },
    ],
  });
  const [made] = functions;
  if (made === undefined) {
    throw new Error("no function");
  }
  return made;
}

const placeholderT = { T: { $case: "placeholder", value: "T" } } as const;
const withT = (dtype: "int32" | "float32") => new Map<string, AttrValue>([["T", { value: type(dtype) }]]);

function library(...functions: FunctionDef[]): Setup {
  return { library: { function: functions, gradient: [], registeredGradients: [] } };
}

const double = definition("double", { input: ["x"], output: ["y"], ret: { y: "sum:z:0" } }, [
  node("AddV2", "sum", ["x", "x"], placeholderT),
]);

const call = (name: string, callee: string, input: string, dtype: "int32" | "float32" = "int32") =>
  node("PartitionedCall", name, [input], {
    Tin: typeList(dtype),
    Tout: typeList(dtype),
    f: func(callee, withT(dtype)),
  });

describe("functions", () => {
  test("are called through PartitionedCall and by their own name, for the dtypes of the caller", async () => {
    const env = environment(library(double));
    const results = await env.run(
      [
        arg("i", 0, "int32"),
        arg("f", 1, "float32"),
        call("a", "double", "i"),
        call("b", "double", "f", "float32"),
        node("double", "c", ["a"], { T: type("int32") }),
        ret("c", 0, "int32"),
        ret("b", 1, "float32"),
      ],
      int32(5),
      float32(1.5),
    );
    expect(scalars(results)).toEqual([20, 3]);
  });

  test("run what has effects or is asked for by a control output, and leave out the rest", async () => {
    const ran: string[] = [];
    const body = definition(
      "f",
      { input: ["x"], output: ["y"], ret: { y: "x" }, controlRet: { c: "asked" } },
      [
        node("Rank", "asked", ["x"], placeholderT),
        node("Shape", "unneeded", ["x"], placeholderT),
        node("Timestamp", "effect", ["^asked"]),
      ],
    );
    const env = environment({
      ...library(body),
      kernels: ["Rank", "Shape", "Timestamp"].map((op) => ({
        kind: "stateful",
        types: {},
        op,
        create: (own) => () => {
          ran.push(own.name);
          return [op === "Timestamp" ? Tensor.of(1, "float64") : int32(0)];
        },
      })),
    });
    expect(
      scalars(await env.run([arg("x", 0, "int32"), call("c", "f", "x"), ret("c", 0, "int32")], int32(3))),
    ).toEqual([3]);
    expect(ran).toEqual(["asked", "effect"]);
  });

  test("nodes of equal names are told apart by the function, and by the dtypes it is called for", async () => {
    const scopes = new Map<string, Set<string>>();
    const made = ["f", "g"].map((name) =>
      definition(name, { input: ["x"], output: ["y"], ret: { y: "x" } }, [
        node("Timestamp", "effect"),
        node("Rank", "rank", ["x"], placeholderT),
      ]),
    );
    const env = environment({
      ...library(...made),
      kernels: [
        {
          kind: "stateful",
          types: {},
          op: "Timestamp",
          create: (own) => () => {
            scopes.set(own.name, (scopes.get(own.name) ?? new Set()).add(own.scope));
            return [Tensor.of(1, "float64")];
          },
        },
        stateful("Rank", () => [int32(0)]),
      ],
    });
    const graph = [
      arg("i", 0, "int32"),
      arg("f", 1, "float32"),
      node("Timestamp", "effect"),
      call("f1", "f", "i"),
      call("f2", "f", "f", "float32"),
      call("f3", "f", "i"),
      call("g1", "g", "i"),
    ];
    await env.run(graph, int32(1), float32(1));
    await env.run(graph, int32(1), float32(1));
    // The graph's own, f for int32, f for float32, and g.
    expect(scopes.get("effect")?.size).toBe(4);
    expect(scopes.get("effect")?.has("")).toBe(true);
  });

  test("an error names the node in the body, then the calling one", async () => {
    const bad = definition("bad", { input: ["x"], output: ["y"], ret: { y: "inner:output:0" } }, [
      node("Rank", "inner", ["x"], placeholderT),
    ]);
    const env = environment({
      ...library(bad),
      kernels: [
        stateful("Rank", () => {
          throw invalidArgument("no");
        }),
      ],
    });
    await expect(env.run([arg("x", 0, "int32"), call("outer", "bad", "x")], int32(1))).rejects.toMatchObject({
      code: StatusCode.INVALID_ARGUMENT,
      message: "no\n\t [[{{node inner}}]]\n\t [[outer]]",
    });
  });

  test("that do not exist are NOT_FOUND; that call themselves for ever end", async () => {
    const endless = definition("endless", { input: ["x"], output: ["y"], ret: { y: "again:y:0" } }, [
      node("endless", "again", ["x"], placeholderT),
    ]);
    const env = environment(library(endless));
    await expect(env.run([arg("x", 0, "int32"), call("c", "nobody", "x")], int32(1))).rejects.toMatchObject({
      code: StatusCode.NOT_FOUND,
    });
    await expect(env.run([arg("x", 0, "int32"), call("c", "endless", "x")], int32(1))).rejects.toMatchObject({
      code: StatusCode.RESOURCE_EXHAUSTED,
    });
  });

  test("bodies that are not sound are refused", async () => {
    const cases: Record<string, FunctionDef> = {
      "input nobody:z:0 is not found": definition(
        "f",
        { input: ["x"], output: ["y"], ret: { y: "a:output:0" } },
        [node("Identity", "a", ["nobody:z:0"], placeholderT)],
      ),
      "Return y missing": definition("f", { input: ["x"], output: ["y"], ret: {} }, []),
      "attribute 'U' has no value": definition(
        "f",
        { input: ["x"], output: ["y"], ret: { y: "a:output:0" } },
        [node("Identity", "a", ["x"], { T: { $case: "placeholder", value: "U" } })],
      ),
      "Duplicated name 'x'": definition("f", { input: ["x", "x"], output: ["y"], ret: { y: "x" } }, []),
    };
    for (const [message, body] of Object.entries(cases)) {
      const env = environment(library(body));
      await expect(env.run([arg("x", 0, "int32"), call("c", "f", "x")], int32(1))).rejects.toMatchObject({
        code: StatusCode.INVALID_ARGUMENT,
        message: expect.stringContaining(message),
      });
    }
  });

  test("ops without a kernel in functions are told with the graph that calls them, not in the middle of a step", () => {
    const inner = definition("inner", { input: ["x"], output: ["y"], ret: { y: "c:y:0" } }, [
      node("Cos", "c", ["x"], placeholderT),
    ]);
    const outer = definition("outer", { input: ["x"], output: ["y"], ret: { y: "i:y:0" } }, [
      node("inner", "i", ["x"], placeholderT),
      node("NoSuchOp", "n"),
    ]);
    const uncalled = definition("uncalled", { input: ["x"], output: ["y"], ret: { y: "s:y:0" } }, [
      node("Sin", "s", ["x"], placeholderT),
    ]);
    const env = environment(library(inner, outer, uncalled));
    const graph = [arg("x", 0, "float32"), call("c", "outer", "x", "float32")];
    expect(() => env.compile(graph)).toThrow(/'Cos' used by \{\{node inner\/c\}\}/);
    expect(() => env.compile(graph)).toThrow(/'NoSuchOp'.* used by \{\{node outer\/n\}\}/);
    expect(() => env.compile(graph)).not.toThrow(/Sin/);
  });

  test("so are dtypes without a kernel, by the dtypes that each call gives", () => {
    const inner = definition("inner", { input: ["x"], output: ["y"], ret: { y: "c:y:0" } }, [
      node("Cos", "c", ["x"], placeholderT),
      node("Sin", "unneeded", ["x"], placeholderT),
    ]);
    const outer = definition("outer", { input: ["x"], output: ["y"], ret: { y: "i:y:0" } }, [
      node("inner", "i", ["x"], placeholderT),
    ]);
    const env = environment({
      ...library(inner, outer),
      kernels: ["Cos", "Sin"].map((op) => ({
        kind: "pure",
        op,
        types: { T: ["float32"] },
        create: () => (inputs) => inputs,
      })),
    });
    const graph = (dtype: "int32" | "float32") => [arg("x", 0, dtype), call("c", "outer", "x", dtype)];
    expect(() => env.compile(graph("int32"))).toThrow(
      /'Cos' with these attrs: \[T=int32\] used by \{\{node inner\/c\}\}/,
    );
    expect(() => env.compile(graph("int32"))).not.toThrow(/Sin/);
    expect(() => env.compile(graph("float32"))).not.toThrow();
  });

  test("a body with a node on another task is refused", async () => {
    const far = definition("far", { input: ["x"], output: ["y"], ret: { y: "i:output:0" } }, [
      { ...node("Identity", "i", ["x"], placeholderT), device: "/job:ps/task:1" },
    ]);
    const env = environment(library(far));
    await expect(env.run([arg("x", 0, "int32"), call("c", "far", "x")], int32(1))).rejects.toMatchObject({
      code: StatusCode.UNIMPLEMENTED,
      message: expect.stringContaining("{{node i}} of function 'far' is placed on /job:ps/"),
    });
  });

  test("a While without end lets timers run and ends with its step", async () => {
    const controller = new AbortController();
    const always = definition("always", { input: ["x"], output: ["y"], ret: { y: "x" } }, []);
    const env = environment({ ...library(always, double), signal: controller.signal });
    const endless = env.run(
      [
        arg("x", 0, "int32"),
        node("While", "w", ["x"], {
          T: typeList("int32"),
          cond: func("always", withT("int32")),
          body: func("always", withT("int32")),
        }),
      ],
      int32(1),
    );
    setTimeout(() => controller.abort(cancelled("enough")), 5);
    await expect(endless).rejects.toThrow("enough");
  });

  test("lists are spread out over arguments and results", async () => {
    const [lists] = FunctionDefLibrary.fromPartial({
      function: [
        {
          signature: {
            name: "lists",
            attr: [{ name: "N", type: "int" }],
            inputArg: [{ name: "x", type: DataType.DT_INT32, numberAttr: "N" }],
            outputArg: [{ name: "y", type: DataType.DT_INT32, numberAttr: "N" }],
          },
          nodeDef: [
            node("IdentityN", "all", ["x"], { T: typeList("int32", "int32") }),
            node("AddV2", "sum", ["all:output:0", "x:1"], { T: type("int32") }),
            node("IdentityN", "out", ["sum:z:0", "all:output:1"], { T: typeList("int32", "int32") }),
          ],
          ret: new Map([["y", "out:output"]]),
        },
      ],
    }).function;
    const env = environment(lists === undefined ? {} : library(lists));
    const results = await env.run(
      [
        arg("a", 0, "int32"),
        arg("b", 1, "int32"),
        node("lists", "c", ["a", "b"], { N: int(2) }),
        ret("c", 0, "int32"),
        ret("c:1", 1, "int32"),
      ],
      int32(3),
      int32(4),
    );
    expect(scalars(results)).toEqual([7, 4]);
  });
});
