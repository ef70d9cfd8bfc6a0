/** How many packets are read, and whose. */
import { describe, expect, it } from "vitest";
import { PacketBudget } from "../../../../main/peers/discovery/packet-budget.js";

/** How many of so many packets are read. */
function read(
  budget: PacketBudget,
  count: number,
  source: (index: number) => string,
  now: number,
  isPaired = false,
) {
  let taken = 0;
  for (let index = 0; index < count; index++) if (budget.spend(source(index), isPaired, now)) taken++;
  return taken;
}

describe("the budget of packets", () => {
  it("lets one sender have a share, which comes back with time", () => {
    const budget = new PacketBudget();
    expect(read(budget, 1000, () => "10.0.0.6", 0)).toBe(60);
    expect(budget.spend("10.0.0.7", false, 0)).toBe(true);
    expect(read(budget, 1000, () => "10.0.0.6", 1000)).toBe(20);
  });

  it("limits the packets of all unpaired machines, under any number of addresses", () => {
    const budget = new PacketBudget();
    expect(read(budget, 10_000, (index) => `10.1.${index >> 8}.${index & 255}`, 0)).toBe(600);
    expect(read(budget, 10_000, (index) => `10.2.${index >> 8}.${index & 255}`, 1000)).toBe(300);
  });

  it("keeps what a paired machine says apart from them", () => {
    const budget = new PacketBudget();
    read(budget, 10_000, (index) => `10.1.${index >> 8}.${index & 255}`, 0);
    expect(read(budget, 10, () => "10.0.0.5", 0, true)).toBe(10);
    // Its address can be made up, too.
    expect(read(budget, 1000, () => "10.0.0.5", 0, true)).toBe(50);
  });

  it("is enough for a hall of honest machines that answer together", () => {
    const budget = new PacketBudget();
    expect(read(budget, 200, (index) => `10.0.0.${index}`, 0)).toBe(200);
    expect(read(budget, 200, (index) => `10.0.0.${index}`, 1000)).toBe(200);
  });
});
