import { beforeAll, describe, expect, test } from "vitest";
import { enums, messages } from "../../protos/generated/schema.js";
import { MasterServiceDefinition } from "../../protos/generated/tensorflow/master_service.js";
import { WorkerServiceDefinition } from "../../protos/generated/tensorflow/worker_service.js";
import { libtensorflowDir, peerMissing } from "../support/peers.js";
import { type Described, describeFiles, describeSchema } from "./describe-descriptors.js";
import { libraryDescriptors, libraryMethods } from "./library-descriptors.js";

const ours = describeSchema(messages, enums);

describe.skipIf(peerMissing("tensorflow"))(
  "the .proto files against the descriptors inside libtensorflow",
  () => {
    let library: Described;

    beforeAll(() => {
      library = describeFiles(libraryDescriptors(libtensorflowDir()).values());
    });

    test("finds the library's descriptors", () => {
      expect(library.messages.size).toBeGreaterThan(500);
      expect(library.messages.get("tensorflow.NodeDef")?.get("device")).toBe("4 single string");
    });

    test.each([...ours.messages.keys()])("%s has the same fields, numbers, types and oneofs", (name) => {
      expect(Object.fromEntries(ours.messages.get(name) ?? [])).toEqual(
        Object.fromEntries(library.messages.get(name) ?? [["absent from the library", ""]]),
      );
    });

    test.each([...ours.enums.keys()])("%s has the same values", (name) => {
      expect(Object.fromEntries(ours.enums.get(name) ?? [])).toEqual(
        Object.fromEntries(library.enums.get(name) ?? [["absent from the library", -1]]),
      );
    });

    // TensorFlow's services have no descriptor in the library: their stubs are written by hand, with these paths.
    test("the services have the methods that the library calls", () => {
      const named = libraryMethods(libtensorflowDir());
      for (const service of [MasterServiceDefinition, WorkerServiceDefinition]) {
        const prefix = `/${service.fullName}/`;
        const methods = Object.values(service.methods).map((method) => prefix + method.name);
        expect(methods.sort()).toEqual([...named].filter((path) => path.startsWith(prefix)).sort());
      }
    });
  },
);
