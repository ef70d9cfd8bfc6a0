/** Programs of users of stock TensorFlow (scripts/user_programs): on our servers they give what they give on stock ones. */
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { peerMissing, repositoryRoot } from "../../support/peers.js";
import { type Engine, printedBy, startCluster } from "./clusters.js";

const programs = [
  "strings",
  "parsing",
  "parsing_sequences",
  "queues",
  "lookup_tables",
  "dataset_one_shot",
  "dataset_initializable",
  "dataset_kinds",
  "dataset_windows_and_batches",
  "dataset_choices",
  "dataset_files",
  "dataset_caches",
  "dataset_of_csv_files",
  "dataset_of_sparse_tensors",
  "dataset_cardinalities",
  "dataset_rarer_kinds",
  "dataset_older_ops",
  "feedable_iterators",
  "conditionals",
  "functions_over_tasks",
  "loops_over_parameter_servers",
  "loops",
  "tensor_arrays",
  "recurrent",
  "functions",
  "exported_function",
  "checks",
  "python_functions_fail",
  "keras_convolutional",
  "keras_upsampling",
  "keras_gru",
  "keras_one_dimension",
  "keras_three_dimensions",
  "keras_attention",
  "keras_mixed_activations",
  "keras_ftrl_clipped",
  "random_initializers",
  "fetches_and_feeds",
  "partial_run",
  "devices_and_options",
  "traces",
  "time_limits",
  "save_and_restore",
  "saved_model",
  "frozen_graph",
  "growing_graph",
  "many_types",
  "variables_of_every_kind",
  "containers",
  "what_a_read_shares",
  "what_an_update_changes",
  "what_an_assignment_takes",
  "references_that_are_handed_on",
  "reads_on_another_task",
  "accumulators",
  "clipped_averaged_decayed",
  "in_graph_replication",
  "monitored_with_hooks",
  "two_asynchronous_workers",
  "losses_of_every_kind",
  "linear_algebra",
  "signals",
  "image_ops",
  "summary_writers",
  "summaries",
  "metrics",
  "partitioned_embedding",
  "candidate_sampling",
  "all_optimizers",
  "optimizers_over_many_steps",
  "two_clients_that_update_one_variable",
  "v1_convolution",
  "staging",
  "ragged",
  "ragged_as_objects",
  "feature_columns",
  "readers_and_producers",
] as const;

/** Those that compute, also with every region that there can be as a session of ONNX Runtime. */
const computing: readonly string[] = [
  "conditionals",
  "loops",
  "loops_over_parameter_servers",
  "functions",
  "functions_over_tasks",
  "recurrent",
  "keras_convolutional",
  "keras_attention",
  "keras_mixed_activations",
  "partial_run",
  "frozen_graph",
  "many_types",
  "what_a_read_shares",
  "what_an_update_changes",
  "reads_on_another_task",
  "in_graph_replication",
  "losses_of_every_kind",
  "all_optimizers",
  "optimizers_over_many_steps",
  "two_clients_that_update_one_variable",
  "clipped_averaged_decayed",
  "two_asynchronous_workers",
  "monitored_with_hooks",
  "save_and_restore",
  "v1_convolution",
] satisfies (typeof programs)[number][];

const folder = path.join(repositoryRoot, "test", "interop", "portable", "scripts", "user_programs");

/** All programs on both kinds of servers; on a busy machine several minutes each. */
const RUNS_MILLIS = 1_200_000;

/**
 * The results of each program on a cluster of two ps and two workers; fails with all output if the process does.
 * @param options of our workers.
 */
async function runOn(
  engine: Engine,
  names: readonly string[] = programs,
  options: readonly string[] = [],
): Promise<Record<string, unknown>> {
  const cluster = await startCluster({ ps: 2, worker: 2 }, () => engine, options);
  try {
    const args = [folder, JSON.stringify(cluster.addresses), cluster.folder, ...names];
    return (await printedBy(args)) as Record<string, unknown>;
  } finally {
    await cluster.stop();
  }
}

describe.skipIf(peerMissing("tensorflow"))("users' programs on the portable engine", () => {
  let expected: Record<string, unknown>;
  let given: Record<string, unknown>;
  let givenByRegions: Record<string, unknown>;

  beforeAll(async () => {
    expected = await runOn("stock");
    given = await runOn("portable");
    givenByRegions = await runOn("portable", computing, ["--regions=always"]);
  }, RUNS_MILLIS);

  test.each(programs)("%s", (name) => {
    expect(expected[name]).toBeDefined();
    expect(differences(expected[name], given[name])).toEqual([]);
  });

  test.each(computing)("%s, by regions", (name) => {
    expect(differences(expected[name], givenByRegions[name])).toEqual([]);
  });
});

/** Values after some steps, with the roundings of all before. */
const RELATIVE_TOLERANCE = 2e-3;

/** Where two results differ, as paths with both values. */
function differences(wanted: unknown, found: unknown, at = ""): string[] {
  if (typeof wanted === "number" && typeof found === "number") {
    const close = Math.abs(wanted - found) <= RELATIVE_TOLERANCE * Math.max(1e-2, Math.abs(wanted));
    return close ? [] : [`${at}: expected ${wanted}, got ${found}`];
  }
  if (typeof wanted === "object" && typeof found === "object" && wanted !== null && found !== null) {
    const [a, b] = [wanted, found] as [Record<string, unknown>, Record<string, unknown>];
    return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) =>
      differences(a[key], b[key], `${at}/${key}`),
    );
  }
  return wanted === found ? [] : [`${at}: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(found)}`];
}
