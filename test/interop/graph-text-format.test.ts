import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import * as config from "../../protos/generated/tensorflow/config.js";
import * as metaGraph from "../../protos/generated/tensorflow/meta_graph.js";
import * as opDef from "../../protos/generated/tensorflow/op_def.js";
import * as savedModel from "../../protos/generated/tensorflow/saved_model.js";
import * as stepStats from "../../protos/generated/tensorflow/step_stats.js";
import * as server from "../../protos/generated/tensorflow/tensorflow_server.js";
import * as trackable from "../../protos/generated/tensorflow/trackable_object_graph.js";
import { examples } from "../../worker-runtime/graph/examples/index.js";
import { bundledOpRegistry } from "../../worker-runtime/graph/op-registry.js";
import type { AnyMessage } from "../../worker-runtime/graph/text-format/message-shape.js";
import { formatText, parseText } from "../../worker-runtime/graph/text-format.js";
import { peerMissing, tensorflowPython } from "../support/peers.js";
import { message } from "../worker-runtime/graph/arbitrary-message.js";

/** Reads our binary and our text, and answers with Python's text of the first and whether both were equal. */
const PYTHON = `
import base64, json, sys
from google.protobuf import symbol_database, text_format
from tensorflow.core.protobuf import config_pb2, meta_graph_pb2, saved_model_pb2, tensorflow_server_pb2
from tensorflow.core.protobuf import trackable_object_graph_pb2
from tensorflow.core.framework import op_def_pb2, step_stats_pb2
from google.protobuf import descriptor_pool, message_factory
answers = []
for case in json.load(sys.stdin):
    descriptor = descriptor_pool.Default().FindMessageTypeByName(case["name"])
    cls = message_factory.GetMessageClass(descriptor)
    binary = cls.FromString(base64.b64decode(case["binary"]))
    text = text_format.MessageToString(binary)
    try:
        parsed = text_format.Parse(case["text"], cls())
        same = parsed.SerializeToString(deterministic=True) == binary.SerializeToString(deterministic=True)
        problem = "" if same else "the text reads as another message"
    except text_format.ParseError as error:
        problem = str(error)
    answers.append({"text": text, "problem": problem})
json.dump(answers, sys.stdout)
`;

interface Codec {
  encode(message: AnyMessage): { finish(): Uint8Array };
}

const CODECS: Readonly<Record<string, unknown>> = {
  "tensorflow.MetaGraphDef": metaGraph.MetaGraphDef,
  "tensorflow.SavedModel": savedModel.SavedModel,
  "tensorflow.OpList": opDef.OpList,
  "tensorflow.ConfigProto": config.ConfigProto,
  "tensorflow.RunOptions": config.RunOptions,
  "tensorflow.StepStats": stepStats.StepStats,
  "tensorflow.ServerDef": server.ServerDef,
  "tensorflow.TrackableObjectGraph": trackable.TrackableObjectGraph,
};

interface Case {
  readonly name: string;
  readonly message: AnyMessage;
}

function encode({ name, message: m }: Case): Uint8Array {
  return (CODECS[name] as Codec).encode(m).finish();
}

const exampleGraphs = await Promise.all(examples.map((example) => example.build()));

function cases(): Case[] {
  const made = Object.keys(CODECS).flatMap((name) =>
    fc.sample(message(name), { numRuns: 60, seed: 20 }).map((m) => ({ name, message: m })),
  );
  const registry = bundledOpRegistry();
  const op = registry.names().flatMap((name) => registry.get(name) ?? []);
  return [
    ...made,
    ...exampleGraphs.map((graph) => ({ name: "tensorflow.MetaGraphDef", message: { ...graph } })),
    { name: "tensorflow.OpList", message: { ...opDef.OpList.fromPartial({ op }) } },
  ];
}

describe.skipIf(peerMissing("tensorflow"))("text format against Python's", () => {
  const all = cases();
  let answers: { text: string; problem: string }[] = [];

  beforeAll(() => {
    const input = all.map((c) => ({
      name: c.name,
      binary: Buffer.from(encode(c)).toString("base64"),
      text: formatText(c.name, c.message),
    }));
    const output = execFileSync(tensorflowPython(), ["-c", PYTHON], {
      input: JSON.stringify(input),
      encoding: "utf8",
      maxBuffer: 1 << 28,
      stdio: ["pipe", "pipe", "ignore"],
    });
    answers = JSON.parse(output) as typeof answers;
  });

  test("Python reads what we write", () => {
    expect(answers.length).toBe(all.length);
    expect(answers.map((a) => a.problem).filter((p) => p !== "")).toEqual([]);
  });

  test("we write letter by letter what Python writes", () => {
    all.forEach((c, i) => {
      expect(formatText(c.name, c.message)).toBe(answers[i]?.text);
    });
  });

  test("we read what Python writes", () => {
    all.forEach((c, i) => {
      const back = parseText<AnyMessage>(c.name, answers[i]?.text ?? "");
      expect(formatText(c.name, back)).toBe(answers[i]?.text);
      expect(encode({ name: c.name, message: back }).length).toBe(encode(c).length);
    });
  });
});
