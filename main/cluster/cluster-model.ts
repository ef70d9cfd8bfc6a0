/** The current state of the cluster, and its listeners. Commands are in cluster-service.ts. */
import { isDeepStrictEqual } from "node:util";
import { inBackground } from "../../worker-runtime/faults.js";
import type { Access, ClusterState, Gateway, Membership } from "../api/cluster.js";
import type { DiscoveryState } from "../api/machines.js";
import type { Problem } from "../api/problem.js";
import type { NewestSamples } from "../api/samples.js";
import type { ClusterMachine, ClusterMachines } from "../peers/cluster-machine.js";
import type { EmitEvent } from "../shared/events.js";
import { defined } from "../shared/problems.js";
import type { JsonFile } from "../storage/json-file.js";
import type { OpenProbe } from "../tasks/health.js";
import { clusterFile, type StoredCluster } from "./cluster-file.js";
import { type ClusterTask, isActive } from "./cluster-task.js";
import { Colours } from "./colours.js";
import { exposuresOf } from "./exposures.js";
import { ForeignServers } from "./foreign-servers.js";
import { HostListeners } from "./host-listeners.js";
import { LocalServers, type ReachPort } from "./local-servers.js";
import { listMachines, versionNotice } from "./machine-list.js";
import { membershipOf } from "./membership.js";
import { RestartWatch } from "./restart-watch.js";
import { SampleFeed } from "./sample-feed.js";
import { listTasks } from "./task-list.js";
import { TunnelSync } from "./tunnel-sync.js";
import { tunnelledTasks, tunnelTable } from "./tunnel-table.js";

export interface ModelCollaborators {
  readonly machines: ClusterMachines;
  readonly emit: EmitEvent;
  /** For foreign servers; machines check the health of their own tasks. */
  readonly openProbe: OpenProbe;
  /** File that keeps membership, access, foreign servers and colours; without it they are not saved. */
  readonly file?: string;
  readonly discovery: () => DiscoveryState;
  readonly gateway?: () => Gateway | undefined;
  /** Present if tasks of this machine can be isolated from its other servers. */
  readonly reachPort?: ReachPort;
}

/**
 * Changes come in bursts, as when a task passes through its states; nobody could read more frequent updates.
 */
const BETWEEN_NEWS_MILLIS = 50;
/** How long a task that is no longer listed is remembered. */
const REMEMBERED_MILLIS = 60_000;

export class ClusterModel {
  readonly foreign: ForeignServers;
  readonly restarts = new RestartWatch();
  readonly localServers: LocalServers;
  /** Resolves when the saved state has been read: restored tasks then get their old colours. */
  readonly loaded: Promise<void>;
  readonly #collaborators: ModelCollaborators;
  readonly #file: JsonFile<StoredCluster> | undefined;
  readonly #colours = new Colours();
  readonly #tunnels = new TunnelSync(() => {
    this.#tunnelledFrom = undefined;
    this.changed();
  });
  readonly #samples: SampleFeed;
  readonly #listeners = new Set<() => void>();
  readonly #sampleListeners = new Set<() => void>();
  readonly #hosts: HostListeners;
  readonly #stops: readonly (() => void)[];
  /** How often a task's state was cleared. */
  readonly #clears = new Map<string, number>();
  /** When each task was listed last, in milliseconds since the epoch. */
  readonly #listedAt = new Map<string, number>();
  /** Machines that have answered since the application started; others cannot be reported as gone. */
  readonly #met = new Set<string>();
  #wantedMembership: Membership = "dynamic";
  #access: Access = "secure";
  #notice: Problem | undefined;
  /** The tasks as of the last change; undefined when they have to be listed again. */
  #tasks: readonly ClusterTask[] | undefined;
  /** The state last sent to the windows. */
  #told: ClusterState | undefined;
  /** Milliseconds of the monotonic clock. */
  #toldAt = Number.NEGATIVE_INFINITY;
  /** Set while an update is due. */
  #news: NodeJS.Timeout | undefined;
  /** Timer that forgets tasks that are gone; set while there are any. */
  #forgetting: NodeJS.Timeout | undefined;
  /** The inputs from which the newest tunnels were created. */
  #tunnelledFrom: unknown;
  #tellingTunnels: Promise<void> = Promise.resolve();
  #isLoaded = false;
  #disposed = false;

  constructor(collaborators: ModelCollaborators) {
    this.#collaborators = collaborators;
    const { machines, openProbe, emit, file } = collaborators;
    this.#file = file === undefined ? undefined : clusterFile(file);
    this.foreign = new ForeignServers(openProbe, () => this.changed());
    this.localServers = new LocalServers(collaborators.reachPort);
    this.#samples = new SampleFeed((samples) => {
      emit("samples", samples);
      for (const listener of [...this.#sampleListeners]) listener();
    });
    this.#hosts = new HostListeners({
      onChange: () => this.changed(),
      onLog: (taskId, lines) => emit("taskLog", { taskId, lines }),
      onSamples: (samples) => this.#samples.addTasks(samples),
    });
    this.#stops = [
      machines.onChange(() => this.#machinesChanged()),
      machines.onSample((machineId, sample) => this.#samples.addMachine(machineId, sample)),
    ];
    this.loaded = this.#load();
    this.#machinesChanged();
  }

  /** The membership with which the tasks were started. */
  get membership(): Membership {
    return membershipOf(this.#wantedMembership, this.machines());
  }

  /** The membership of tasks that are started from now on. */
  get wantedMembership(): Membership {
    return this.#wantedMembership;
  }

  set wantedMembership(membership: Membership) {
    this.#wantedMembership = membership;
    this.changed();
  }

  get access(): Access {
    return this.#access;
  }

  set access(access: Access) {
    this.#access = access;
    this.changed();
  }

  /** A notice about the cluster as a whole. */
  set notice(notice: Problem | undefined) {
    this.#notice = notice;
    this.changed();
  }

  /** This machine first. */
  machines(): readonly ClusterMachine[] {
    return this.#collaborators.machines.list();
  }

  /** Tasks that have a process, or are about to have one, on machines where this one may start and stop them. */
  active(): ClusterTask[] {
    return this.tasks().filter((task) => !task.foreign && isActive(task) && !task.locked);
  }

  /** Machine by machine, each in the order in which its tasks were created; then the foreign servers. */
  tasks(): readonly ClusterTask[] {
    if (this.#tasks === undefined) {
      this.#tasks = this.#listTasks();
      // No listener may see a replaced server without the notice that its variables are gone.
      if (this.restarts.look(this.#tasks)) this.#tasks = this.#listTasks();
    }
    return this.#tasks;
  }

  state(): ClusterState {
    const { discovery, gateway } = this.#collaborators;
    const machines = this.machines();
    const tasks = this.tasks();
    return defined({
      membership: this.membership,
      access: this.#access,
      exposures: exposuresOf(this.#access, machines, tasks),
      gateway: gateway?.(),
      discovery: discovery(),
      notice: this.#notice ?? versionNotice(machines, tasks),
      machines: listMachines(machines, tasks),
      unlistedMachines: this.#collaborators.machines.unlisted?.() || undefined,
    });
  }

  /** The latest samples. */
  get samples(): NewestSamples {
    return this.#samples.newest;
  }

  /** Ports on which some machine of the cluster cannot listen. */
  takenPorts(): number[] {
    return this.#tunnels.takenPorts();
  }

  /** Resolves when tasks can reach all others: foreign servers of this machine, and through the machines' tunnels. */
  async connectTasks(): Promise<void> {
    this.localServers.look(this.tasks(), this.machines()[0]?.facts.id);
    await Promise.all([this.localServers.settled(), this.#tellTunnels()]);
  }

  /** Reports that the variables, queues and sessions of a task are gone, though its server is the same. */
  cleared(taskId: string): void {
    this.restarts.expect(taskId);
    this.#clears.set(taskId, (this.#clears.get(taskId) ?? 0) + 1);
    this.changed();
  }

  /** Notes that a graph has variables on the servers of tasks. */
  noteVariables(taskIds: readonly string[]): void {
    const noted = this.tasks().filter(({ id }) => taskIds.includes(id));
    if (noted.filter((task) => this.restarts.holdsVariables(task)).length > 0) inBackground(this.#save());
  }

  /** Calls the listener after every change until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls the listener after every measurement until the returned function is called. */
  onSamples(listener: () => void): () => void {
    this.#sampleListeners.add(listener);
    return () => this.#sampleListeners.delete(listener);
  }

  /** Marks the state as changed. Changes that are close together are reported together. */
  changed(): void {
    this.#tasks = undefined;
    if (this.#disposed) return;
    const wait = this.#toldAt + BETWEEN_NEWS_MILLIS - performance.now();
    this.#news ??= setTimeout(() => this.#tell(), Math.max(0, wait));
  }

  /** Stops listening and reporting; resolves when the state is saved. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    for (const stop of this.#stops) stop();
    this.#hosts.follow(new Set());
    this.#listeners.clear();
    this.#sampleListeners.clear();
    clearTimeout(this.#news);
    clearTimeout(this.#forgetting);
    this.#samples.dispose();
    const saved = this.#save();
    this.foreign.dispose();
    this.localServers.dispose();
    await saved;
  }

  /** Resolves when every machine that answers has received its current tunnels. */
  async #tellTunnels(): Promise<void> {
    // Announcements of unpaired machines do not concern the tunnels.
    const machines = this.machines().filter(
      ({ facts }) => facts.kind !== "discovered" && facts.role !== "view",
    );
    const tunnelled = machines.map(({ facts: { id, addresses, agentPort } }, position) => ({
      ...{ id, addresses, agentPort },
      dials: position === 0,
    }));
    for (const { facts } of machines) if (facts.presence === "online") this.#met.add(facts.id);
    // Machines that are not paired with each other do not notice by themselves that one is gone, or has moved to another
    // address: its tunnels are removed, which ends their connections, and restored with it.
    const lost = new Set(
      machines.flatMap(({ facts: { id, presence } }) =>
        presence !== "online" && this.#met.has(id) ? [id] : [],
      ),
    );
    const tasks = tunnelledTasks(this.tasks()).filter(({ machineId }) => !lost.has(machineId));
    const presences = machines.map(({ facts }) => facts.presence);
    // With many machines the table is large, and most changes do not affect it.
    const from = { access: this.#access, tunnelled, tasks, presences };
    if (!isDeepStrictEqual(from, this.#tunnelledFrom)) {
      this.#tunnelledFrom = from;
      this.#tellingTunnels = this.#tunnels.tell(
        machines,
        this.#access === "open" ? new Map() : tunnelTable(tunnelled, tasks),
      );
    }
    await this.#tellingTunnels;
  }

  #tell(): void {
    this.#news = undefined;
    this.#forgetRemoved();
    inBackground(this.connectTasks());
    inBackground(this.#save());
    const state = this.state();
    if (!isDeepStrictEqual(state, this.#told)) {
      this.#told = state;
      this.#collaborators.emit("cluster", state);
    }
    for (const listener of [...this.#listeners]) listener();
    this.#toldAt = performance.now();
  }

  #listTasks(): readonly ClusterTask[] {
    return listTasks({
      machines: this.machines(),
      foreign: this.foreign.list(),
      access: this.#access,
      membership: this.membership,
      colourOf: (id) => this.#colours.of(id),
      noticeOf: (id) => this.restarts.noticeOf(id),
      clearsOf: (id) => this.#clears.get(id) ?? 0,
      machinesWithout: (port) => this.#tunnels.machinesWithout(port),
    });
  }

  #machinesChanged(): void {
    const machines = this.machines();
    this.#hosts.follow(new Set(machines.flatMap(({ tasks }) => tasks ?? [])));
    if (this.#tunnels.noteAway(machines)) this.#tunnelledFrom = undefined;
    this.changed();
  }

  /**
   * The colour of a task that stays away is released; one that moves, or whose machine restarts, is soon listed again.
   */
  #forgetRemoved(): void {
    const now = Date.now();
    const listed = new Set(this.tasks().map(({ id }) => id));
    this.#samples.keep(new Set(this.machines().map(({ facts }) => facts.id)), listed);
    for (const id of listed) this.#listedAt.set(id, now);
    for (const [id, at] of this.#listedAt) {
      if (now - at < REMEMBERED_MILLIS) continue;
      this.#listedAt.delete(id);
      this.#colours.free(id);
      this.restarts.forget(id);
      this.#clears.delete(id);
    }
    clearTimeout(this.#forgetting);
    if (this.#listedAt.size === listed.size) return;
    this.#forgetting = setTimeout(() => this.changed(), REMEMBERED_MILLIS);
    this.#forgetting.unref();
  }

  async #load(): Promise<void> {
    const stored = await this.#file?.load();
    if (this.#disposed) return;
    this.#isLoaded = true;
    if (!stored) return;
    this.#wantedMembership = stored.membership;
    this.#access = stored.access;
    // Before any task is listed, since that would give it a colour.
    for (const [id, colour] of Object.entries(stored.colours)) this.#colours.restore(id, colour);
    for (const server of stored.foreign) this.foreign.addAgain(server);
    this.restarts.restoreHolders(stored.variables);
    this.changed();
  }

  async #save(): Promise<void> {
    // State that has not been read must not be overwritten.
    if (!this.#isLoaded) return;
    await this.#file?.save({
      membership: this.#wantedMembership,
      access: this.#access,
      foreign: this.foreign.list().map(({ id, address, job, index }) => ({ id, address, job, index })),
      colours: this.#colours.entries(),
      variables: this.restarts.holders(),
    });
  }
}
