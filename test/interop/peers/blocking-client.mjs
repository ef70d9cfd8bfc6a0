// A client whose step never ends: blocking-client.mjs TARGET GRAPH, with the bytes of blockingGraph() in base64. The
// compiled program, so that its process can be killed.
import { GraphDef } from "../../../build/out/protos/generated/tensorflow/graph.js";
import { Session } from "../../../build/out/worker-runtime/session/session.js";

const [target, graph] = process.argv.slice(2);
const session = new Session(target, { graph: GraphDef.decode(Buffer.from(graph, "base64")) });
await session.run(["d"], { targets: ["begin", "held"] });
